import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CompanyApi;
import org.openapitools.client.api.EmployeesApi;
import org.openapitools.client.api.ManagersApi;
import org.openapitools.client.api.SurveysApi;
import org.openapitools.client.model.*;

/**
 * Rehearses and sends the employees, sends the managers, creates a survey, and reads them again.
 *
 * <p>java Example http://127.0.0.1:3000 TOKEN COMPANY [--remove]
 *
 * <p>Without --remove it stops where employees would be removed.
 */
class Example {
  public static void main(String[] args) throws ApiException {
    ApiClient client = new ApiClient();
    client.setBasePath(args[0]);
    client.setBearerToken(args[1]);
    long company = Long.parseLong(args[2]);

    EmployeesApi employees = new EmployeesApi(client);
    replaceEmployees(employees, company, List.of(args).contains("--remove"));
    replaceManagers(new ManagersApi(client), company);
    createSurvey(new SurveysApi(client), company);

    for (EmployeeRow row : employees.listEmployees(company, null, null, null, null))
      System.out.printf(
          "employee %s: %s, %s%n", row.getEmployeeID(), row.getFullname(), row.getDimensions().get("Division"));
    for (ApiCall call : new CompanyApi(client).listApiCalls(company, null, null, null))
      System.out.printf("%d %s%n", call.getHttpStatusCode(), call.getMethod());
    // The client's threads would keep the program for minutes.
    System.exit(0);
  }

  private static void replaceEmployees(EmployeesApi api, long company, boolean mayRemove) throws ApiException {
    Employee ada =
        new Employee()
            .employeeID("A-17")
            .firstname("Ada")
            .lastname("Example")
            .email("ada@example.com")
            .employmentStatus(EmploymentStatus.Active)
            .gender(Gender.Female)
            .invitationDate("2026-12-01T07:00:00Z")
            .dimensions(Map.of("Division", "North"));
    List<Employee> everybody = List.of(ada);
    DryRunResult plan =
        api.replaceEmployees(company, everybody, true, null, null, null, null, null, null).getDryRunResult();
    System.out.printf("rehearsed: %d new, %d gone%n", plan.getInserted(), plan.getRemoved());
    if (plan.getRemoved() > 0 && !mayRemove) {
      System.err.printf("stopped: would remove %d; --remove allows it%n", plan.getRemoved());
      System.exit(1);
    }
    // Carried out only where the list is still as it was in the rehearsal.
    String preview = plan.getPreviewId();
    ImportResult result =
        api.replaceEmployees(company, everybody, null, null, null, null, null, preview, null).getImportResult();
    System.out.printf("sent: %d new, %d gone%n", result.getInserted(), result.getRemoved());
  }

  private static void replaceManagers(ManagersApi api, long company) throws ApiException {
    ManagerRole bo =
        new ManagerRole()
            .dimensionName("Department")
            .departmentName("Cranes")
            .firstName("Bo")
            .lastName("Example")
            .email("bo@example.com");
    ManagerImport roles = new ManagerImport().managerRoles(List.of(bo));
    ManagerDryRunResult plan =
        api.replaceManagers(company, roles, true, null, null, null, null, null).getManagerDryRunResult();
    if (plan.getCreated() != 1) throw new IllegalStateException(plan.toString());
    System.out.println(api.replaceManagers(company, roles, null, null, null, null, null, null).getString());
  }

  private static void createSurvey(SurveysApi api, long company) throws ApiException {
    SurveyDraft draft =
        new SurveyDraft()
            .name("Autumn pulse")
            .companyId(company)
            .start("2026-05-01T02:00:00Z")
            .end("2026-06-01T02:00:00Z")
            .state(SurveyState.ActiveSurvey)
            .addQuestionsItem(question(QuestionType.CoverPage, "Welcome."))
            .addQuestionsItem(question(QuestionType.TextAnswer, "What should we stop doing?"))
            .addQuestionsItem(question(QuestionType.ThankYouPage, "Thank you."));
    Survey survey = api.getSurvey(api.createSurvey(draft, null));
    System.out.printf(
        "survey %d: %s, %d questions%n", survey.getId(), survey.getName(), survey.getQuestions().size());
  }

  private static SurveyDraftQuestion question(QuestionType kind, String text) {
    return new SurveyDraftQuestion().type(kind).texts(Map.of("1045", text));
  }
}
