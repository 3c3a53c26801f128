"""With the generated client: rehearse and send the employees, create a survey, read both again.

python example.py http://127.0.0.1:3000 TOKEN COMPANY
"""

import sys

from rollcall_client import AuthenticatedClient
from rollcall_client.api.employees import list_employees, replace_employees
from rollcall_client.api.surveys import create_survey, get_survey
from rollcall_client.models import (
    DryRunResult,
    Employee,
    EmploymentStatus,
    Gender,
    ImportResult,
    NewSurvey,
    NewSurveyQuestion,
    QuestionType,
    SurveyState,
    Texts,
)

base_url, token, company = sys.argv[1], sys.argv[2], int(sys.argv[3])
client = AuthenticatedClient(base_url=base_url, token=token, raise_on_unexpected_status=True)

everybody = [
    Employee(
        employee_id="A-17",
        firstname="Ada",
        lastname="Example",
        email="ada@example.com",
        employment_status=EmploymentStatus.ACTIVE,
        gender=Gender.FEMALE,
        invitation_date="2026-12-01T07:00:00Z",
    ),
]
rehearsal = replace_employees.sync(company, client=client, body=everybody, dry_run=True)
assert isinstance(rehearsal, DryRunResult), rehearsal
result = replace_employees.sync(company, client=client, body=everybody)
assert isinstance(result, ImportResult), result
assert (result.inserted, result.removed) == (rehearsal.inserted, rehearsal.removed), result


def question(kind: QuestionType, text: str) -> NewSurveyQuestion:
    return NewSurveyQuestion(type_=kind, texts=Texts.from_dict({"1045": text}))


survey_id = create_survey.sync(
    client=client,
    body=NewSurvey(
        name="Autumn pulse",
        company_id=company,
        start="2026-05-01T02:00:00Z",
        end="2026-06-01T02:00:00Z",
        state=SurveyState.ACTIVE,
        questions=[
            question(QuestionType.COVER_PAGE, "Welcome."),
            question(QuestionType.TEXT_ANSWER, "What should we stop doing?"),
            question(QuestionType.THANK_YOU_PAGE, "Thank you."),
        ],
    ),
)
assert isinstance(survey_id, int), survey_id

survey = get_survey.sync(survey_id, client=client)
employees = list_employees.sync(company, client=client)
print(result.inserted, survey.name, len(survey.questions), [row.employee_id for row in employees])
