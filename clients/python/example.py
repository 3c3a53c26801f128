"""Rehearses and sends the employees, sends the managers, creates a survey, and reads them again.

python example.py http://127.0.0.1:3000 TOKEN COMPANY [--remove]
Without --remove it stops where employees would be removed.
"""

import sys

import openapi_client as rollcall

host, token, company = sys.argv[1], sys.argv[2], int(sys.argv[3])
client = rollcall.ApiClient(rollcall.Configuration(host=host, access_token=token))
employees = rollcall.EmployeesApi(client)
surveys = rollcall.SurveysApi(client)

everybody = [
    rollcall.Employee(
        employee_id="A-17",
        firstname="Ada",
        lastname="Example",
        email="ada@example.com",
        employment_status=rollcall.EmploymentStatus.Active,
        gender=rollcall.Gender.Female,
        invitation_date="2026-12-01T07:00:00Z",
        dimensions={"Division": "North"},
    ),
]
rehearsal = employees.replace_employees(company, everybody, dry_run=True).actual_instance
assert isinstance(rehearsal, rollcall.DryRunResult) and rehearsal.dry_run, rehearsal
print(f"rehearsed: {rehearsal.inserted} new, {rehearsal.removed} gone")
if rehearsal.removed > 0 and "--remove" not in sys.argv[4:]:
    sys.exit(f"stopped: would remove {rehearsal.removed}; --remove allows it")
# Carried out only where the list is still as it was in the rehearsal.
result = employees.replace_employees(company, everybody, if_preview=rehearsal.preview_id).actual_instance
assert isinstance(result, rollcall.ImportResult), result
print(f"sent: {result.inserted} new, {result.removed} gone")

roles = rollcall.ManagerImport(
    manager_roles=[
        rollcall.ManagerRole(
            dimension_name="Department",
            department_name="Cranes",
            first_name="Bo",
            last_name="Example",
            email="bo@example.com",
        ),
    ],
)
managers = rollcall.ManagersApi(client)
planned = managers.replace_managers(company, roles, dry_run=True).actual_instance
assert isinstance(planned, rollcall.ManagerDryRunResult) and planned.created == 1, planned
print(managers.replace_managers(company, roles).actual_instance)


def question(kind: rollcall.QuestionType, text: str) -> rollcall.SurveyDraftQuestion:
    return rollcall.SurveyDraftQuestion(type=kind, texts={"1045": text})


survey_id = surveys.create_survey(
    rollcall.SurveyDraft(
        name="Autumn pulse",
        company_id=company,
        start="2026-05-01T02:00:00Z",
        end="2026-06-01T02:00:00Z",
        state=rollcall.SurveyState.ActiveSurvey,
        questions=[
            question(rollcall.QuestionType.CoverPage, "Welcome."),
            question(rollcall.QuestionType.TextAnswer, "What should we stop doing?"),
            question(rollcall.QuestionType.ThankYouPage, "Thank you."),
        ],
    ),
)
survey = surveys.get_survey(survey_id)
print(f"survey {survey.id}: {survey.name}, {len(survey.questions)} questions")

for row in employees.list_employees(company):
    print(f"employee {row.employee_id}: {row.fullname}, {row.dimensions['Division']}")
for call in rollcall.CompanyApi(client).list_api_calls(company):
    print(f"{call.http_status_code} {call.method}")
