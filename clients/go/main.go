// Rehearses and sends the employees, sends the managers, creates a survey, and reads them again.
//
//	go run ./example http://127.0.0.1:3000 TOKEN COMPANY [--remove]
//
// Without --remove it stops where employees would be removed.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"

	rollcall "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	company, err := strconv.ParseInt(os.Args[3], 10, 64)
	must(err)
	configuration := rollcall.NewConfiguration()
	configuration.Servers = rollcall.ServerConfigurations{{URL: os.Args[1]}}
	client := rollcall.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), rollcall.ContextAccessToken, os.Args[2])

	replaceEmployees(ctx, client, company)
	replaceManagers(ctx, client, company)
	createSurvey(ctx, client, company)

	rows, _, err := client.EmployeesAPI.ListEmployees(ctx, company).Execute()
	must(err)
	for _, row := range rows {
		fmt.Printf("employee %s: %s, %s\n", row.EmployeeID, row.Fullname, row.Dimensions["Division"])
	}
	calls, _, err := client.CompanyAPI.ListApiCalls(ctx, company).Execute()
	must(err)
	for _, call := range calls {
		fmt.Printf("%d %s\n", call.HttpStatusCode, call.Method)
	}
}

func replaceEmployees(ctx context.Context, client *rollcall.APIClient, company int64) {
	ada := rollcall.NewEmployee("A-17", "Ada", "Example", "ada@example.com", rollcall.Active)
	ada.SetGender(rollcall.Female)
	ada.SetInvitationDate("2026-12-01T07:00:00Z")
	division := "North"
	ada.Dimensions = map[string]*string{"Division": &division}
	call := client.EmployeesAPI.ReplaceEmployees(ctx, company).Employee([]rollcall.Employee{*ada})

	rehearsed, _, err := call.DryRun(true).Execute()
	must(err)
	plan := rehearsed.DryRunResult
	fmt.Printf("rehearsed: %d new, %d gone\n", plan.Inserted, plan.Removed)
	if plan.Removed > 0 && !slices.Contains(os.Args[4:], "--remove") {
		log.Fatalf("stopped: would remove %d; --remove allows it", plan.Removed)
	}
	// Carried out only where the list is still as it was in the rehearsal.
	sent, _, err := call.IfPreview(plan.PreviewId).Execute()
	must(err)
	result := sent.ImportResult
	fmt.Printf("sent: %d new, %d gone\n", result.Inserted, result.Removed)
}

func replaceManagers(ctx context.Context, client *rollcall.APIClient, company int64) {
	bo := rollcall.NewManagerRole("Department", "Cranes", "Bo", "Example", "bo@example.com")
	roles := rollcall.NewManagerImport([]rollcall.ManagerRole{*bo})
	call := client.ManagersAPI.ReplaceManagers(ctx, company).ManagerImport(*roles)

	rehearsed, _, err := call.DryRun(true).Execute()
	must(err)
	if rehearsed.ManagerDryRunResult.Created != 1 {
		log.Fatalf("%+v", rehearsed)
	}
	sent, _, err := call.Execute()
	must(err)
	fmt.Println(*sent.String)
}

func createSurvey(ctx context.Context, client *rollcall.APIClient, company int64) {
	question := func(kind rollcall.QuestionType, text string) rollcall.SurveyDraftQuestion {
		return *rollcall.NewSurveyDraftQuestion(kind, map[string]string{"1045": text})
	}
	draft := rollcall.NewSurveyDraft(
		"Autumn pulse", company, "2026-05-01T02:00:00Z", "2026-06-01T02:00:00Z", rollcall.ActiveSurvey,
		[]rollcall.SurveyDraftQuestion{
			question(rollcall.CoverPage, "Welcome."),
			question(rollcall.TextAnswer, "What should we stop doing?"),
			question(rollcall.ThankYouPage, "Thank you."),
		})
	id, _, err := client.SurveysAPI.CreateSurvey(ctx).SurveyDraft(*draft).Execute()
	must(err)
	survey, _, err := client.SurveysAPI.GetSurvey(ctx, id).Execute()
	must(err)
	fmt.Printf("survey %d: %s, %d questions\n", survey.Id, survey.Name, len(survey.Questions))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
