export interface paths {
    "/v1.0/Company/{companyId}/ApiCalls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Imports and what became of them
         * @description Newest first. With `ApiOperationId` the one call, or an empty array where it is unknown: so a queued import is followed until `CompletedOn` is given. Rehearsals and 401s leave no row.
         */
        get: operations["listApiCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Company/{companyId}/Employee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All employees, a page of them, or one
         * @description In the order of Id. Without `Top` all are streamed in one answer. All of it is one set, that of the ETag, and so are the pages to which `Link` leads. With `EmployeeID` only the one who has it, or nobody. Needs the role HRIntegration or Auditor.
         */
        get: operations["listEmployees"];
        /**
         * Replace all employees of the company
         * @description Who is not in the list is removed. Rehearse with `dryRun=true`: it answers with the counts and the ids of those who would come, change and leave, at most 1,000 of each, and writes nothing.
         *
         *     The array is the whole set: who is present and in it gets the values sent, who is new is added and invited, who is present and not in it is removed. A repeat changes nothing. Where anything in the list is wrong, nothing is done.
         *
         *     202: it was queued and runs in its turn; follow it at `Location`. That happens to large lists, while another import of the company is pending, and with `Prefer: respond-async`. To replace only what you have read, send its `ETag` as `If-Match`; to be able to send a call again safely, give it an `Idempotency-Key`. Needs the role HRIntegration.
         */
        put: operations["replaceEmployees"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers
         * @description It does, or nothing comes.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process can do its work
         * @description Where it cannot, or only in part, `Problems` names what is wrong.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Company/{companyId}/Invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The invitations of employees
         * @description By the number of the employee, those who have left too. Needs the role HRIntegration or Auditor.
         */
        get: operations["listInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Company/{companyId}/Language/Enabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The company's languages
         * @description As configured, in that order.
         */
        get: operations["listLanguages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Company/{companyId}/Limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The limits of imports in force
         * @description The company's and the installation's, and how many imports are pending.
         */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Company/{companyId}/Managers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All portal users, manager roles and departments
         * @description Those locked and disabled too. Needs the role HRIntegration or Auditor.
         */
        get: operations["getManagers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/User/{companyId}/ManagerImport": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace all manager roles of the company
         * @description Who is not in the list loses the role. Rehearse with `dryRun=true`: it answers with the counts and with the users who would be locked and unlocked, and writes nothing.
         *
         *     Roles in the request are created or kept enabled; others are disabled; users who are left without a role are locked; locked users who are sent are unlocked; missing departments are created.
         *
         *     202: it was queued and runs in its turn; follow it at `Location`. That happens to 200 roles and more, while one of managers, one of the same user or a held one is pending, and with `Prefer: respond-async`. Needs the role HRIntegration.
         */
        put: operations["replaceManagers"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Survey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The surveys of the company
         * @description In the order of their ids, without their questions.
         */
        get: operations["listSurveys"];
        put?: never;
        /**
         * Create a survey
         * @description Answers with the id of the new survey, a bare integer.
         */
        post: operations["createSurvey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Survey/Update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Update a survey
         * @description Questions with a Key are updated, those without are inserted, those that are absent stay; `Deleted: true` removes one. Everything else is replaced by what is sent.
         */
        post: operations["updateSurvey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Survey/ChangeState/{state}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move surveys to a state
         * @description All of them, or none where one is unknown. A repeat after an outage finishes the rest.
         */
        post: operations["changeSurveyState"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1.0/Survey/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A survey with its questions
         * @description A survey of another company is an unknown one.
         */
        get: operations["getSurvey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An import, and what became of it. */
        ApiCall: {
            /** Format: uuid */
            ApiOperationId: string;
            /**
             * Format: int64
             * @description The API user; null for the command line and operators.
             */
            UserId: number | null;
            Username: string;
            /** Format: date-time */
            CreatedOn: string;
            /** @description `PUT /v1.0/Company/7/Employee`, or `rollcall imports undo ...`. */
            Method: string;
            /** @description 202 while it is queued or runs, then what it ended with. */
            HttpStatusCode: number;
            /** @description The phrase of HttpStatusCode, `Processing...`, `Held: ...` or `Waiting behind ...`. */
            HttpStatusReason: string;
            /**
             * Format: date-time
             * @description Null until it has ended.
             */
            CompletedOn: string | null;
            /** @description Of managers: roles created. */
            Inserted: number;
            Updated: number;
            /** @description Of managers: roles disabled. */
            Removed: number;
            /** @description Why it was not done. Of managers: the text of a 200. */
            Result: string | null;
            /** @description The first 20, cut to 200 characters each, and the number of the rest. */
            ValidationErrors: string[];
            /** @description How far a running import is. */
            Progress: string | null;
        };
        BatchLimit: {
            /** @description Percent; null where the company has none. */
            Limit: number | null;
            Present: number;
            /** @description The real call would be refused, or held. */
            Exceeded: boolean;
            /**
             * @description What would become of it: refused, or held until somebody approves it.
             * @enum {string}
             */
            OverLimit: "refuse" | "hold";
        };
        /** @description What the company may send at present. */
        CompanyLimits: {
            /** @description Percent of those present that an import may add, or remove; null where there is no limit. */
            BatchLimit: number | null;
            /** @description The batch limit counts from this many employees present. */
            BatchLimitFrom: number;
            /**
             * @description What becomes of an import over the batch limit: refused, or held until somebody approves it.
             * @enum {string}
             */
            OverLimit: "refuse" | "hold";
            /** @description Employees from which a list is queued; null for never. */
            QueueThreshold: number | null;
            /**
             * Format: int64
             * @description Bytes of an employee list, unpacked, from which it is queued.
             */
            QueueBodyBytes: number;
            /**
             * Format: int64
             * @description Bytes of an employee list, unpacked.
             */
            EmployeeBodyLimit: number;
            /**
             * Format: int64
             * @description Bytes of a manager import, unpacked.
             */
            ManagerBodyLimit: number;
            /**
             * Format: int64
             * @description Bytes of any other body, unpacked.
             */
            BodyLimit: number;
            /** @description Calls of one API user; 0 where there is no limit. */
            RateLimitPerMinute: number;
            PendingImports: number;
            /** @description With as many pending, more are a 429. */
            MostPendingImports: number;
        };
        /** @description A department, division or project. */
        Department: {
            /** Format: int64 */
            Id: number;
            DimensionName: string;
            Name: string;
            /** @description The name of the parent division. */
            Parent: string | null;
        };
        /** @description What the call would do. Nothing was done. */
        DryRunResult: {
            /** @description Always true. */
            DryRun: boolean;
            Inserted: number;
            Updated: number;
            Removed: number;
            /** @description Always false. */
            WasQueued: boolean;
            Changes: components["schemas"]["EmployeeChanges"];
            BatchLimit: components["schemas"]["BatchLimit"];
            /** @description Names that are no fields, each with the number of elements that carry it. */
            IgnoredFields: {
                [key: string]: number;
            };
            /** @description Imports that would run before this one. */
            PendingImports: number;
            Invitations: components["schemas"]["PlannedInvitations"];
            /** @description Send it as If-Preview to carry out exactly this. */
            PreviewId: string;
            /** @description Of the set; null before the first import. */
            Revision: number | null;
            /**
             * Format: date-time
             * @description Until then the PreviewId can be used.
             */
            ExpiresOn: string;
            LikelyRenames: components["schemas"]["LikelyRenames"];
            /** @description With Details=true: the whole difference, in one row each. */
            Details?: components["schemas"]["PreviewRow"][];
        };
        /** @description One employee. A field that is left out or null is cleared; unknown fields are ignored. */
        Employee: {
            /** @description The caller's own primary key; unique, not blank. */
            EmployeeID: string;
            /** @description When a new employee is invited; for one who is present it counts for nothing. Without it: at once in business hours, else at the next 08:00. yyyy-MM-ddTHH:mm:ssZ. */
            InvitationDate?: string | null;
            /** @description Not blank. */
            Firstname: string;
            /** @description Not blank. */
            Lastname: string;
            /** @description In international format; unique. */
            Phonenumber?: string | null;
            /** @description Unique without regard to case. */
            Email: string;
            Gender?: components["schemas"]["Gender"] | null;
            EmploymentStatus: components["schemas"]["EmploymentStatus"];
            /** @description yyyy-MM-dd, or the date format of InvitationDate; kept as sent. */
            Birthday?: string | null;
            JobTitle?: string | null;
            /** @description Reporting data. */
            Department?: string | null;
            /** @description Reporting data. */
            Role?: string | null;
            /** @description Reporting data. */
            ImmediateManager?: string | null;
            /** @description Other reporting data by name (1 to 150 characters, not blank), at most 100; null is absent. What GET employees adds may come back. */
            Dimensions?: {
                [key: string]: string | null;
            } | null;
        };
        EmployeeChanges: {
            /** @description EmployeeIDs, at most 1,000. */
            Inserted: string[];
            /** @description EmployeeIDs, at most 1,000. */
            Updated: string[];
            /** @description EmployeeIDs, at most 1,000. */
            Removed: string[];
        };
        /** @description An employee as stored: it may be sent back as it is, and changes nothing then. */
        EmployeeRow: {
            /** Format: int64 */
            Id: number;
            EmployeeID: string;
            /** @description Equals EmployeeID. */
            ExternalId: string;
            /** Format: int64 */
            CompanyId: number;
            Firstname: string;
            Lastname: string;
            Fullname: string;
            Email: string;
            Phonenumber?: string | null;
            /** @description Equals Phonenumber. */
            ContactNumber?: string | null;
            Gender?: components["schemas"]["Gender"] | null;
            EmploymentStatus: components["schemas"]["EmploymentStatus"];
            /** @description As sent. */
            Birthday?: string | null;
            JobTitle?: string | null;
            Department?: string | null;
            Role?: string | null;
            ImmediateManager?: string | null;
            /** @description As sent, with Department, Role and ImmediateManager besides. */
            Dimensions: {
                [key: string]: string;
            };
            /** @description As sent when new. */
            InvitationDate?: string | null;
            /** @description Always true. */
            SourcedFromExternalSystem: boolean;
            /** @description Always false. */
            Locked: boolean;
            /**
             * Format: date-time
             * @description When a mail server accepted the first invitation.
             */
            FirstInvitationDate?: string | null;
        };
        /**
         * @description 0 = active, 1 = on leave
         * @enum {integer}
         */
        EmploymentStatus: 0 | 1;
        /**
         * @description 0 = male, 1 = female, 9 = unknown
         * @enum {integer}
         */
        Gender: 0 | 1 | 9;
        /** @description The import was refused, and nothing was changed. */
        ImportErrors: {
            /**
             * Format: uuid
             * @description Write it into your log: it names the call in ApiCalls and to support.
             */
            ApiOperationId: string;
            /** @description Every problem, with the position from 0; at most 1,000, and then how many more. */
            ValidationErrors: string[];
        };
        /** @description What an import did, or that it was queued. */
        ImportResult: {
            /**
             * Format: uuid
             * @description Write it into your log: it names the call in ApiCalls and to support.
             */
            ApiOperationId: string;
            Inserted: number;
            /** @description Those present whose values are others than before. */
            Updated: number;
            Removed: number;
            /** @description True with 202: the counts are 0 then, and ApiCalls has them. */
            WasQueued: boolean;
            /** @description Names of the body that are no fields, each with how often it stands; null in the place of none. */
            IgnoredFields: {
                [key: string]: number;
            } | null;
        };
        /** @description The request was refused, and nothing was changed. */
        InvalidRequest: {
            Message: string;
            /** @description All problems, each with its place and rule. */
            ValidationErrors: string[];
        };
        Invitation: {
            /**
             * Format: int64
             * @description The employee's number: Id in GET employees.
             */
            Number: number;
            /** @description Absent where the employee has left. */
            EmployeeID?: string;
            State: components["schemas"]["InvitationState"];
            /** Format: date-time */
            DueAt: string;
            Attempts: number;
            LastError: components["schemas"]["InvitationError"] | null;
            /** Format: date-time */
            SentAt: string | null;
            MessageId: string | null;
        };
        InvitationError: {
            Code: string;
            Problem: string;
        };
        /** @enum {string} */
        InvitationState: "Planned" | "Due" | "Held" | "Sending" | "Deferred" | "Sent" | "Failed" | "Cancelled";
        Language: {
            id: number;
            label: string;
            code: string;
        };
        LikelyRename: {
            /** @description The EmployeeID, or e-mail address, that leaves. */
            From: string;
            /** @description The one that comes. */
            To: string;
            /**
             * @description What both have in common; Name for managers.
             * @enum {string}
             */
            By: "Email" | "Phonenumber" | "Name";
        };
        /** @description People who leave under one id and come under another. */
        LikelyRenames: {
            Count: number;
            /** @description At most 1,000. */
            Renames: components["schemas"]["LikelyRename"][];
        };
        Liveness: {
            /** @enum {string} */
            Status: "ok";
            /** @description Of the service. */
            Version: string;
            /** @description That the service was built from; null where the build did not know it. */
            Commit: string | null;
        };
        ManagerChanges: {
            /** @description E-mail addresses, at most 1,000. */
            Locked: string[];
            /** @description E-mail addresses, at most 1,000. */
            Unlocked: string[];
        };
        /** @description What the call would do. Nothing was done. */
        ManagerDryRunResult: {
            /** @description Always true. */
            DryRun: boolean;
            Created: number;
            Disabled: number;
            Locked: number;
            Unlocked: number;
            /** @description Always false. */
            WasQueued: boolean;
            Changes: components["schemas"]["ManagerChanges"];
            /** @description Names that are no fields, each with how often it stands. */
            IgnoredFields: {
                [key: string]: number;
            };
            /** @description Imports that would run before this one. */
            PendingImports: number;
            /** @description Send it as If-Preview to carry out exactly this. */
            PreviewId: string;
            /** @description Of the set; null before the first import. */
            Revision: number | null;
            /**
             * Format: date-time
             * @description Until then the PreviewId can be used.
             */
            ExpiresOn: string;
            LikelyRenames: components["schemas"]["LikelyRenames"];
            /** @description With Details=true: the whole difference, in one row each. */
            Details?: components["schemas"]["PreviewRow"][];
        };
        /** @description The whole set of manager roles. */
        ManagerImport: {
            /** @description All manager roles of the company. An empty array disables all. */
            ManagerRoles: components["schemas"]["ManagerRole"][];
            /** @description From a division to its parent, or null; only where hierarchy import is enabled. */
            DepartmentHierarchy?: {
                [key: string]: string | null;
            } | null;
        };
        /** @description Tells the roles created, the roles disabled and the users locked. */
        ManagerImportText: string;
        /** @description One manager of one department, division or project. */
        ManagerRole: {
            /** @description One of the company's department, division or project dimensions. */
            DimensionName: string;
            /** @description Not blank. */
            DepartmentName: string;
            /** @description Not blank. */
            FirstName: string;
            /** @description Not blank. */
            LastName: string;
            /** @description Finds or creates the portal user, without regard to case. */
            Email: string;
            /** @description Marks the manager as the primary contact of the department. */
            PrimaryContact?: boolean | null;
            /** @description Ignored, whatever it is. */
            DepartmentId?: unknown;
            /** @description Ignored, whatever it is. */
            Guid?: unknown;
            /** @description Ignored, whatever it is. */
            UserId?: unknown;
            /** @description Ignored, whatever it is. */
            RoleType?: unknown;
        };
        /** @description The whole set, with what is locked and disabled. */
        Managers: {
            Users: components["schemas"]["PortalUser"][];
            Roles: components["schemas"]["StoredManagerRole"][];
            Departments: components["schemas"]["Department"][];
        };
        Message: {
            /** @description What happened and what to do. */
            Message: string;
        };
        PlannedInvitations: {
            /** @description How many of the new employees would be invited. */
            Count: number;
            /**
             * Format: date-time
             * @description Null where none would be.
             */
            FirstDueAt: string | null;
            /**
             * Format: date-time
             * @description Null where none would be.
             */
            LastDueAt: string | null;
        };
        PortalUser: {
            /** Format: int64 */
            Id: number;
            FirstName: string;
            LastName: string;
            /** @description As first written. */
            Email: string;
            /** @description The user has no enabled role. */
            Locked: boolean;
        };
        PreviewField: {
            Old: string | number | boolean | null;
            New: string | number | boolean | null;
        };
        PreviewRow: {
            /** @description Inserted, Updated, Renamed or Removed. Of managers: UserCreated, UserRenamed, UserLocked, UserUnlocked, DepartmentCreated, RoleEnabled, RoleChanged, RoleDisabled or ParentChanged. */
            Change: string;
            /**
             * Format: int64
             * @description The number of one who is known before; null for others.
             */
            Id: number | null;
            /** @description Of an employee: as it is after the import. */
            EmployeeID?: string | null;
            /** @description Of a manager. */
            Email?: string | null;
            /** @description Each field that changes: as it is, and as it would be. */
            Fields: {
                [key: string]: components["schemas"]["PreviewField"];
            };
        };
        /** @description The body of every error for a caller whose Accept names application/problem+json (RFC 9457). */
        ProblemDetails: {
            /** @description A page about the code, relative to the server. */
            type: string;
            title: string;
            status: number;
            /** @description What happened and what to do. */
            detail: string;
            /** @description The X-Request-Id of the call, percent-encoded. */
            instance: string;
            /**
             * @description `invalid-request`: The request breaks rules; `errors` has each of them. Nothing was changed. Mend them and send it again.
             *
             *     `unauthorized`: The token is missing, wrong, expired or revoked, lacks the role, or is of another company. Check it; the reason is in the log of the service.
             *
             *     `not-found`: There is nothing at this path, or your company has no such thing. Check the path and the id.
             *
             *     `method-not-allowed`: The path does not take this method. Use one that the header Allow names.
             *
             *     `request-timeout`: The request came too slowly. Send it again.
             *
             *     `conflict`: A call with this Idempotency-Key is under way. Send the same call again after Retry-After.
             *
             *     `precondition-failed`: The set is at another revision than the call asks for. Read it again before you decide.
             *
             *     `body-too-large`: The body is larger than the endpoint takes. `GET .../Limits` has the limits.
             *
             *     `expectation-failed`: Only `Expect: 100-continue` is understood. Send the request without the header.
             *
             *     `unsupported-media-type`: Send JSON, with `Content-Encoding: gzip` or none.
             *
             *     `unprocessable`: The Idempotency-Key was sent with another body within 24 hours. Send a new key with a new body.
             *
             *     `too-many-requests`: A limit of calls is reached. Try again after the seconds in Retry-After.
             *
             *     `headers-too-large`: The headers of the request are too large. Send fewer or shorter ones.
             *
             *     `internal`: An unexpected error happened. Report it with the value of `operationId`.
             *
             *     `unavailable`: The service cannot answer at the moment. Try again after the seconds in Retry-After.
             * @enum {unknown}
             */
            code: "invalid-request" | "unauthorized" | "not-found" | "method-not-allowed" | "request-timeout" | "conflict" | "precondition-failed" | "body-too-large" | "expectation-failed" | "unsupported-media-type" | "unprocessable" | "too-many-requests" | "headers-too-large" | "internal" | "unavailable";
            /** @description The ApiOperationId, where the endpoint names it in its own body. */
            operationId?: string;
            errors?: {
                /** @description The place in the body, as a JSON Pointer (RFC 6901). */
                pointer?: string;
                /**
                 * @description `required`: a required field is absent or null
                 *
                 *     `type`: a value has the wrong JSON type
                 *
                 *     `blank`: a text or list is empty or blank
                 *
                 *     `too-long`: a text has too many characters or bytes
                 *
                 *     `too-many`: a list or object has too many entries
                 *
                 *     `format`: a text has the wrong form
                 *
                 *     `not-allowed`: a value is not among those that are allowed here
                 *
                 *     `not-unique`: a value stands twice and must be unique
                 *
                 *     `unknown`: a key or name is not known here
                 *
                 *     `json-syntax`: the body is no JSON that the service takes
                 *
                 *     `batch-limit`: the import exceeds the batch limit of the company
                 *
                 *     `integration-off`: company integration is not allowed
                 *
                 *     `more`: the number of problems that are left out
                 *
                 *     `invalid`: another rule, which `detail` states
                 * @enum {unknown}
                 */
                code: "required" | "type" | "blank" | "too-long" | "too-many" | "format" | "not-allowed" | "not-unique" | "unknown" | "json-syntax" | "batch-limit" | "integration-off" | "more" | "invalid";
                /** @description The text of ValidationErrors. */
                detail: string;
                employeeId?: string;
            }[];
        };
        /**
         * @description 1 = cover page, 2 = answer options, 3 = text answer, 4 = body question, 99 = thank-you page
         * @enum {integer}
         */
        QuestionType: 1 | 2 | 3 | 4 | 99;
        Readiness: {
            /** @enum {string} */
            Status: "ok" | "degraded" | "unavailable";
            /** @description What is wrong, each part by name. */
            Problems: string[];
            /** @description Of the service. */
            Version: string;
            /** @description That the service was built from; null where the build did not know it. */
            Commit: string | null;
        };
        ServerError: {
            Message: string;
            /**
             * Format: uuid
             * @description Names the lines in the log that tell more.
             */
            ApiOperationId: string;
        };
        StoredManagerRole: {
            /** Format: int64 */
            UserId: number;
            /** @description As configured when the department was created. */
            DimensionName: string;
            /** @description As first written. */
            DepartmentName: string;
            PrimaryContact: boolean;
            /** @description False: it was in a former import, and is not in the last. */
            Enabled: boolean;
        };
        Survey: {
            /** Format: int64 */
            id: number;
            name: string;
            /** Format: int64 */
            companyId: number;
            /** @description As sent. */
            start: string;
            /** @description As sent. */
            end: string;
            state: components["schemas"]["SurveyState"];
            /** Format: int64 */
            surveyDefinitionId: number;
            /** @description Equals start, for existing clients. */
            startDate: string;
            /** @description Equals end, for existing clients. */
            endDate: string;
            /** @description As sent. */
            surveySelectionRule: string | null;
            questions: components["schemas"]["SurveyQuestion"][];
        };
        /** @description Texts may be absent only where Deleted is true. */
        SurveyAnswerOptionUpdate: {
            /** @description Names an existing option; without it the option is inserted. */
            LabelKey?: string | null;
            Texts?: components["schemas"]["Texts"];
            /** @description true removes what the key names. */
            Deleted?: boolean | null;
        };
        /** @description A survey without ids and keys: the service gives them. StartDate, EndDate and StepType of existing clients are taken for Start, End and Type. */
        SurveyDraft: {
            /** @description Not blank. */
            Name: string;
            /** Format: int64 */
            CompanyId: number;
            /** @description When the survey becomes available. yyyy-MM-ddTHH:mm:ssZ. */
            Start: string;
            /** @description When it becomes unavailable; after Start. yyyy-MM-ddTHH:mm:ssZ. */
            End: string;
            State: components["schemas"]["SurveyState"];
            /** @description A JSON document with Frequency, EnabledLanguages and Filters; kept as sent. */
            SurveySelectionRule?: string | null;
            /** @description Exactly one cover page and one thank-you page among them. */
            Questions: components["schemas"]["SurveyDraftQuestion"][] & (unknown & unknown);
        };
        SurveyDraftAnswerOption: {
            Texts: components["schemas"]["Texts"];
        };
        /** @description A question without a Key: the service gives it. */
        SurveyDraftQuestion: {
            Type: components["schemas"]["QuestionType"];
            Texts: components["schemas"]["Texts"];
            /** @description At least one for Type 2, none for others. */
            AnswerOptions?: components["schemas"]["SurveyDraftAnswerOption"][] | null;
        };
        SurveyListItem: {
            /** Format: int64 */
            id: number;
            name: string;
            /** Format: int64 */
            companyId: number;
            /** @description As sent. */
            start: string;
            /** @description As sent. */
            end: string;
            state: components["schemas"]["SurveyState"];
            /** Format: int64 */
            surveyDefinitionId: number;
            /** @description Equals start, for existing clients. */
            startDate: string;
            /** @description Equals end, for existing clients. */
            endDate: string;
        };
        SurveyQuestion: {
            order: number;
            key: string;
            type: components["schemas"]["QuestionType"];
            /** @description By language id. */
            texts: {
                [key: string]: string;
            };
            /** @description For type 2 a JSON string {"AnswerOptions":[{"LabelKey","Value","Texts"}]}, otherwise null. */
            configuration: string | null;
            /** @description Equals type, for existing clients. */
            stepType: number;
        };
        /** @description Type and Texts may be absent only where Deleted is true. */
        SurveyQuestionUpdate: {
            /** @description Names an existing question; without it the question is inserted. */
            Key?: string | null;
            Type?: components["schemas"]["QuestionType"];
            Texts?: components["schemas"]["Texts"];
            /** @description At least one for Type 2, none for others. An option that is absent stays. */
            AnswerOptions?: components["schemas"]["SurveyAnswerOptionUpdate"][] | null;
            /** @description true removes what the key names. */
            Deleted?: boolean | null;
        };
        /**
         * @description 1 = draft, 2 = active, 3 = inactive
         * @enum {integer}
         */
        SurveyState: 1 | 2 | 3;
        /** @description The whole survey. Without SurveySelectionRule it has none. */
        SurveyUpdate: {
            /** Format: int64 */
            Id: number;
            /** Format: int64 */
            SurveyDefinitionId: number;
            /** @description Not blank. */
            Name: string;
            /** Format: int64 */
            CompanyId: number;
            /** @description When the survey becomes available. yyyy-MM-ddTHH:mm:ssZ. */
            Start: string;
            /** @description When it becomes unavailable; after Start. yyyy-MM-ddTHH:mm:ssZ. */
            End: string;
            State: components["schemas"]["SurveyState"];
            /** @description A JSON document with Frequency, EnabledLanguages and Filters; kept as sent. */
            SurveySelectionRule?: string | null;
            /** @description Exactly one cover page and one thank-you page among them. */
            Questions: components["schemas"]["SurveyQuestionUpdate"][] & (unknown & unknown);
        };
        /** @description From a language id, written as a string, to the text in that language, which is not blank. */
        Texts: {
            [key: string]: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApiCalls: {
        parameters: {
            query?: {
                /** @description Only the call with this id. */
                ApiOperationId?: string;
                /** @description The most rows in the page. */
                Top?: number;
                /** @description Only calls older than the one with this ApiOperationId. */
                Before?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 100 calls; Link leads to older ones */
            200: {
                headers: {
                    /** @description Where the next page is: `<...>; rel="next"`; absent on the last. */
                    Link?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000002",
                     *         "UserId": 1,
                     *         "Username": "HR system",
                     *         "CreatedOn": "2026-11-21T09:00:00.000Z",
                     *         "Method": "PUT /v1.0/Company/7/Employee",
                     *         "HttpStatusCode": 202,
                     *         "HttpStatusReason": "Processing...",
                     *         "CompletedOn": null,
                     *         "Inserted": 0,
                     *         "Updated": 0,
                     *         "Removed": 0,
                     *         "Result": null,
                     *         "ValidationErrors": [],
                     *         "Progress": "Attempt 1: reading, 40 %"
                     *       },
                     *       {
                     *         "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000001",
                     *         "UserId": 1,
                     *         "Username": "HR system",
                     *         "CreatedOn": "2026-11-21T09:00:00.000Z",
                     *         "Method": "PUT /v1.0/Company/7/Employee",
                     *         "HttpStatusCode": 200,
                     *         "HttpStatusReason": "OK",
                     *         "CompletedOn": "2026-11-21T09:00:00.120Z",
                     *         "Inserted": 1,
                     *         "Updated": 0,
                     *         "Removed": 0,
                     *         "Result": null,
                     *         "ValidationErrors": [],
                     *         "Progress": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiCall"][];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    listEmployees: {
        parameters: {
            query?: {
                /** @description The most employees in the page. Without it all are answered at once. */
                Top?: number;
                /** @description Only employees behind this Id: the last one of the page before. */
                After?: number;
                /** @description Only the employee who has this EmployeeID: one element or none. Not together with Top and After. */
                EmployeeID?: string;
                /** @description The set to read, by the revision in its ETag; `Link` names it, so that all pages are of one set. A replaced set can be read for ten minutes at most. */
                Revision?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With Top, Link leads to the next page */
            200: {
                headers: {
                    /** @description The revision of the set, for If-Match of the import; absent before the first import. */
                    ETag?: string;
                    /** @description Where the next page is: `<...>; rel="next"`; absent on the last. */
                    Link?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "Id": 1,
                     *         "EmployeeID": "A-17",
                     *         "ExternalId": "A-17",
                     *         "CompanyId": 7,
                     *         "Firstname": "Ada",
                     *         "Lastname": "Example",
                     *         "Fullname": "Ada Example",
                     *         "Email": "ada@example.com",
                     *         "Phonenumber": "+4512345678",
                     *         "ContactNumber": "+4512345678",
                     *         "Gender": 1,
                     *         "EmploymentStatus": 0,
                     *         "Birthday": "1990-05-17",
                     *         "JobTitle": "Engineer",
                     *         "Department": "Research",
                     *         "Role": "Specialist",
                     *         "ImmediateManager": "A-1",
                     *         "Dimensions": {
                     *           "Department": "Research",
                     *           "Division": "North",
                     *           "ImmediateManager": "A-1",
                     *           "Role": "Specialist"
                     *         },
                     *         "SourcedFromExternalSystem": true,
                     *         "Locked": false,
                     *         "FirstInvitationDate": "2026-12-01T07:00:00Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["EmployeeRow"][];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description Of an import: the revision of the set; absent where it has none. */
                    ETag?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The set is not at a revision that If-Match names. Read it again, and send the ETag of that answer."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    replaceEmployees: {
        parameters: {
            query?: {
                /**
                 * @description true: only checks and counts, nothing is written.
                 * @example true
                 */
                dryRun?: boolean;
                /** @description true, with dryRun=true: the whole difference too, field by field; as CSV with `Accept: text/csv`. */
                Details?: boolean;
                /** @description keep: a new EmployeeID with the e-mail address of exactly one who leaves is the same person, with number and invitation. */
                Renames?: "keep";
            };
            header?: {
                /** @description Printable ASCII characters, bare or in double quotes. The same call again within 24 hours gets the first answer, and has no second effect; the key with another body is a 422. */
                "Idempotency-Key"?: string;
                /** @description ETags of the set as it was read, in their double quotes, with commas between them, or *: at another revision the call is a 412. */
                "If-Match"?: string;
                /** @description The PreviewId of a dry run: where the body, the set or what comes of both is another one than in that dry run, the call is a 412. */
                "If-Preview"?: string;
                /** @description respond-async: the import is queued in any case. */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        /** @description All employees of the company. An empty array removes everybody. */
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "EmployeeID": "A-17",
                 *         "InvitationDate": "2026-12-01T07:00:00Z",
                 *         "Firstname": "Ada",
                 *         "Lastname": "Example",
                 *         "Phonenumber": "+4512345678",
                 *         "Email": "ada@example.com",
                 *         "Gender": 1,
                 *         "EmploymentStatus": 0,
                 *         "Birthday": "1990-05-17",
                 *         "JobTitle": "Engineer",
                 *         "Department": "Research",
                 *         "Role": "Specialist",
                 *         "ImmediateManager": "A-1",
                 *         "Dimensions": {
                 *           "Division": "North"
                 *         }
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["Employee"][];
            };
        };
        responses: {
            /** @description Carried out, or with dryRun=true rehearsed; Details also as text/csv */
            200: {
                headers: {
                    /** @description true where an earlier answer is repeated. */
                    "Idempotent-Replayed"?: string;
                    /** @description The PreviewId of a dry run whose rows are CSV. */
                    "Preview-Id"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000001",
                     *       "Inserted": 1,
                     *       "Updated": 0,
                     *       "Removed": 0,
                     *       "WasQueued": false,
                     *       "IgnoredFields": null
                     *     }
                     */
                    "application/json": components["schemas"]["ImportResult"] | components["schemas"]["DryRunResult"];
                };
            };
            /** @description Queued; it runs in its turn */
            202: {
                headers: {
                    /** @description true where an earlier answer is repeated. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where to follow the import. */
                    Location?: string;
                    /** @description Seconds after which it is worth to look. */
                    "Retry-After"?: number;
                    /** @description respond-async where the caller preferred that. */
                    "Preference-Applied"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000001",
                     *       "Inserted": 0,
                     *       "Updated": 0,
                     *       "Removed": 0,
                     *       "WasQueued": true,
                     *       "IgnoredFields": null
                     *     }
                     */
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            /** @description Refused; nothing changed */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000002",
                     *       "ValidationErrors": [
                     *         "[17] EmployeeID 'A-17': Phonenumber must match ^\\+[0-9]{6,20}$"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportErrors"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request came too slowly. Send it again."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "A call with this Idempotency-Key is under way. Send the same call again after the seconds in Retry-After to get its answer."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description Of an import: the revision of the set; absent where it has none. */
                    ETag?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The set is not at a revision that If-Match names. Read it again, and send the ETag of that answer."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The body is larger than this endpoint takes."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Send JSON: \"Content-Type: application/json\", and \"Content-Encoding: gzip\" or none."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "This Idempotency-Key was sent with another body within the last 24 hours. Send a new key with a new body."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Status": "ok",
                     *       "Version": "0.1.0",
                     *       "Commit": "8f3c2d1a9b04"
                     *     }
                     */
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It serves; `degraded` names what it does not serve */
            200: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Status": "ok",
                     *       "Problems": [],
                     *       "Version": "0.1.0",
                     *       "Commit": "8f3c2d1a9b04"
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description It does not */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Status": "unavailable",
                     *       "Problems": [
                     *         "the event log cannot be read"
                     *       ],
                     *       "Version": "0.1.0",
                     *       "Commit": "8f3c2d1a9b04"
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                State?: components["schemas"]["InvitationState"];
                /** @description The most invitations in the page. */
                Top?: number;
                /** @description Only invitations of employees behind this Number. */
                After?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 1,000 invitations; Link leads to more */
            200: {
                headers: {
                    /** @description Where the next page is: `<...>; rel="next"`; absent on the last. */
                    Link?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "Number": 1,
                     *         "EmployeeID": "A-17",
                     *         "State": "Sent",
                     *         "DueAt": "2026-11-23T07:00:00Z",
                     *         "Attempts": 1,
                     *         "LastError": null,
                     *         "SentAt": "2026-11-23T07:00:02.400Z",
                     *         "MessageId": "b3f0a1de-7a52-5b0c-9d6e-2f6f4a3f9d10@rollcall.example.com"
                     *       },
                     *       {
                     *         "Number": 2,
                     *         "EmployeeID": "A-18",
                     *         "State": "Deferred",
                     *         "DueAt": "2026-11-23T07:01:02.400Z",
                     *         "Attempts": 1,
                     *         "LastError": {
                     *           "Code": "451 4.7.1",
                     *           "Problem": "Greylisted, try again later"
                     *         },
                     *         "SentAt": null,
                     *         "MessageId": "b3f0a1de-7a52-5b0c-9d6e-2f6f4a3f9d10@rollcall.example.com"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    listLanguages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The languages */
            200: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1045,
                     *         "label": "English",
                     *         "code": "en"
                     *       },
                     *       {
                     *         "id": 1041,
                     *         "label": "Danish",
                     *         "code": "da"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Language"][];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits */
            200: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "BatchLimit": 25,
                     *       "BatchLimitFrom": 100,
                     *       "OverLimit": "refuse",
                     *       "QueueThreshold": 1000,
                     *       "QueueBodyBytes": 8388608,
                     *       "EmployeeBodyLimit": 268435456,
                     *       "ManagerBodyLimit": 16777216,
                     *       "BodyLimit": 1048576,
                     *       "RateLimitPerMinute": 6000,
                     *       "PendingImports": 0,
                     *       "MostPendingImports": 1000
                     *     }
                     */
                    "application/json": components["schemas"]["CompanyLimits"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    getManagers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ETag is what If-Match of the import takes */
            200: {
                headers: {
                    /** @description The revision of the set, for If-Match of the import; absent before the first import. */
                    ETag?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Users": [
                     *         {
                     *           "Id": 1,
                     *           "FirstName": "Ada",
                     *           "LastName": "Example",
                     *           "Email": "ada@example.com",
                     *           "Locked": false
                     *         },
                     *         {
                     *           "Id": 2,
                     *           "FirstName": "Bo",
                     *           "LastName": "Example",
                     *           "Email": "bo@example.com",
                     *           "Locked": false
                     *         },
                     *         {
                     *           "Id": 3,
                     *           "FirstName": "Cy",
                     *           "LastName": "Example",
                     *           "Email": "cy@example.com",
                     *           "Locked": true
                     *         }
                     *       ],
                     *       "Roles": [
                     *         {
                     *           "UserId": 1,
                     *           "DimensionName": "Division",
                     *           "DepartmentName": "Harbour",
                     *           "PrimaryContact": true,
                     *           "Enabled": true
                     *         },
                     *         {
                     *           "UserId": 2,
                     *           "DimensionName": "Department",
                     *           "DepartmentName": "Cranes",
                     *           "PrimaryContact": false,
                     *           "Enabled": true
                     *         },
                     *         {
                     *           "UserId": 3,
                     *           "DimensionName": "Department",
                     *           "DepartmentName": "Cranes",
                     *           "PrimaryContact": false,
                     *           "Enabled": false
                     *         }
                     *       ],
                     *       "Departments": [
                     *         {
                     *           "Id": 1,
                     *           "DimensionName": "Division",
                     *           "Name": "Harbour",
                     *           "Parent": "Coast"
                     *         },
                     *         {
                     *           "Id": 2,
                     *           "DimensionName": "Department",
                     *           "Name": "Cranes",
                     *           "Parent": null
                     *         },
                     *         {
                     *           "Id": 3,
                     *           "DimensionName": "Division",
                     *           "Name": "Coast",
                     *           "Parent": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Managers"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    replaceManagers: {
        parameters: {
            query?: {
                /**
                 * @description true: only checks and counts, nothing is written.
                 * @example true
                 */
                dryRun?: boolean;
                /** @description true, with dryRun=true: the whole difference too, field by field; as CSV with `Accept: text/csv`. */
                Details?: boolean;
            };
            header?: {
                /** @description Printable ASCII characters, bare or in double quotes. The same call again within 24 hours gets the first answer, and has no second effect; the key with another body is a 422. */
                "Idempotency-Key"?: string;
                /** @description ETags of the set as it was read, in their double quotes, with commas between them, or *: at another revision the call is a 412. */
                "If-Match"?: string;
                /** @description The PreviewId of a dry run: where the body, the set or what comes of both is another one than in that dry run, the call is a 412. */
                "If-Preview"?: string;
                /** @description respond-async: the import is queued in any case. */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The token's company; any other is a 401.
                 * @example 1
                 */
                companyId: number;
            };
            cookie?: never;
        };
        /** @description The whole set of manager roles. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ManagerRoles": [
                 *         {
                 *           "DimensionName": "Division",
                 *           "DepartmentName": "Harbour",
                 *           "FirstName": "Ada",
                 *           "LastName": "Example",
                 *           "Email": "ada@example.com",
                 *           "PrimaryContact": true
                 *         },
                 *         {
                 *           "DimensionName": "Department",
                 *           "DepartmentName": "Cranes",
                 *           "FirstName": "Bo",
                 *           "LastName": "Example",
                 *           "Email": "bo@example.com",
                 *           "PrimaryContact": false
                 *         }
                 *       ],
                 *       "DepartmentHierarchy": {
                 *         "Harbour": "Coast",
                 *         "Coast": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ManagerImport"];
            };
        };
        responses: {
            /** @description Carried out, or with dryRun=true rehearsed; Details also as text/csv */
            200: {
                headers: {
                    /** @description true where an earlier answer is repeated. */
                    "Idempotent-Replayed"?: string;
                    /** @description The PreviewId of a dry run whose rows are CSV. */
                    "Preview-Id"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example Successfully created 2, disabled 1 roles and locked 0 users. */
                    "application/json": components["schemas"]["ManagerImportText"] | components["schemas"]["ManagerDryRunResult"];
                };
            };
            /** @description Queued; it runs in its turn */
            202: {
                headers: {
                    /** @description true where an earlier answer is repeated. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where to follow the import. */
                    Location?: string;
                    /** @description Seconds after which it is worth to look. */
                    "Retry-After"?: number;
                    /** @description respond-async where the caller preferred that. */
                    "Preference-Applied"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000001",
                     *       "Inserted": 0,
                     *       "Updated": 0,
                     *       "Removed": 0,
                     *       "WasQueued": true,
                     *       "IgnoredFields": null
                     *     }
                     */
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            /** @description Refused; nothing changed */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example ManagerRoles[3].Email must be a valid e-mail address of at most 254 characters; ManagerRoles[7].LastName is required */
                    "application/json": string;
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request came too slowly. Send it again."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "A call with this Idempotency-Key is under way. Send the same call again after the seconds in Retry-After to get its answer."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    /** @description Of an import: the revision of the set; absent where it has none. */
                    ETag?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The set is not at a revision that If-Match names. Read it again, and send the ETag of that answer."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The body is larger than this endpoint takes."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Send JSON: \"Content-Type: application/json\", and \"Content-Encoding: gzip\" or none."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "This Idempotency-Key was sent with another body within the last 24 hours. Send a new key with a new body."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    listSurveys: {
        parameters: {
            query?: {
                /** @description The token's company, which is also the default. */
                companyId?: number;
                /** @description 1 = draft, 2 = active, 3 = inactive */
                State?: components["schemas"]["SurveyState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The surveys */
            200: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Autumn pulse",
                     *         "companyId": 1,
                     *         "start": "2026-05-01T02:00:00Z",
                     *         "end": "2026-06-01T02:00:00Z",
                     *         "state": 2,
                     *         "surveyDefinitionId": 2,
                     *         "startDate": "2026-05-01T02:00:00Z",
                     *         "endDate": "2026-06-01T02:00:00Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SurveyListItem"][];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    createSurvey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Printable ASCII characters, bare or in double quotes. The same call again within 24 hours gets the first answer, and has no second effect; the key with another body is a 422. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A survey without ids and keys: the service gives them. StartDate, EndDate and StepType of existing clients are taken for Start, End and Type. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Name": "Autumn pulse",
                 *       "CompanyId": 1,
                 *       "Start": "2026-05-01T02:00:00Z",
                 *       "End": "2026-06-01T02:00:00Z",
                 *       "State": 2,
                 *       "SurveySelectionRule": "{\"Frequency\":\"Quarterly\",\"Filters\":{\"Manager\":\"JENSEN\"}}",
                 *       "Questions": [
                 *         {
                 *           "Type": 1,
                 *           "Texts": {
                 *             "1045": "Welcome."
                 *           }
                 *         },
                 *         {
                 *           "Type": 2,
                 *           "Texts": {
                 *             "1045": "How are you today?"
                 *           },
                 *           "AnswerOptions": [
                 *             {
                 *               "Texts": {
                 *                 "1045": "Great."
                 *               }
                 *             },
                 *             {
                 *               "Texts": {
                 *                 "1045": "As always."
                 *               }
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "Type": 99,
                 *           "Texts": {
                 *             "1045": "Thank you."
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SurveyDraft"];
            };
        };
        responses: {
            /** @description The id of the new survey */
            200: {
                headers: {
                    /** @description true where an earlier answer is repeated. */
                    "Idempotent-Replayed"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example 1 */
                    "application/json": number;
                };
            };
            /** @description All problems at once */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The survey is not valid.",
                     *       "ValidationErrors": [
                     *         "Name must not be blank",
                     *         "Questions[1].Texts.1045 must not be empty"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request came too slowly. Send it again."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "A call with this Idempotency-Key is under way. Send the same call again after the seconds in Retry-After to get its answer."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The body is larger than this endpoint takes."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Send JSON: \"Content-Type: application/json\", and \"Content-Encoding: gzip\" or none."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "This Idempotency-Key was sent with another body within the last 24 hours. Send a new key with a new body."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    updateSurvey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Printable ASCII characters, bare or in double quotes. The same call again within 24 hours gets the first answer, and has no second effect; the key with another body is a 422. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The whole survey. Without SurveySelectionRule it has none. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "Id": 1,
                 *       "SurveyDefinitionId": 2,
                 *       "Name": "Autumn pulse",
                 *       "CompanyId": 1,
                 *       "Start": "2026-05-01T02:00:00Z",
                 *       "End": "2026-06-01T02:00:00Z",
                 *       "State": 2,
                 *       "SurveySelectionRule": "{\"Frequency\":\"Quarterly\",\"Filters\":{\"Manager\":\"JENSEN\"}}",
                 *       "Questions": [
                 *         {
                 *           "Key": "Q1",
                 *           "Type": 1,
                 *           "Texts": {
                 *             "1045": "Welcome back."
                 *           }
                 *         },
                 *         {
                 *           "Key": "Q2",
                 *           "Type": 2,
                 *           "Texts": {
                 *             "1045": "How are you today?"
                 *           },
                 *           "AnswerOptions": [
                 *             {
                 *               "LabelKey": "Q2_1",
                 *               "Deleted": true
                 *             },
                 *             {
                 *               "Texts": {
                 *                 "1045": "Better than ever."
                 *               }
                 *             }
                 *           ]
                 *         },
                 *         {
                 *           "Type": 3,
                 *           "Texts": {
                 *             "1045": "What should we stop doing?"
                 *           }
                 *         },
                 *         {
                 *           "Key": "Q3",
                 *           "Type": 99,
                 *           "Texts": {
                 *             "1045": "Thank you."
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SurveyUpdate"];
            };
        };
        responses: {
            /** @description Done; the body is empty */
            200: {
                headers: {
                    /** @description true where an earlier answer is repeated. */
                    "Idempotent-Replayed"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description All problems at once */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The survey is not valid.",
                     *       "ValidationErrors": [
                     *         "Name must not be blank",
                     *         "Questions[1].Texts.1045 must not be empty"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "There is nothing at this path. See /docs for the paths of this service."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request came too slowly. Send it again."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "A call with this Idempotency-Key is under way. Send the same call again after the seconds in Retry-After to get its answer."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The body is larger than this endpoint takes."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Send JSON: \"Content-Type: application/json\", and \"Content-Encoding: gzip\" or none."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "This Idempotency-Key was sent with another body within the last 24 hours. Send a new key with a new body."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    changeSurveyState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 = draft, 2 = active, 3 = inactive */
                state: components["schemas"]["SurveyState"];
            };
            cookie?: never;
        };
        /** @description Survey ids. */
        requestBody: {
            content: {
                /**
                 * @example [
                 *       1,
                 *       3
                 *     ]
                 */
                "application/json": number[];
            };
        };
        responses: {
            /** @description Done; the body is empty */
            200: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description All problems at once */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The survey is not valid.",
                     *       "ValidationErrors": [
                     *         "Name must not be blank",
                     *         "Questions[1].Texts.1045 must not be empty"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "There is nothing at this path. See /docs for the paths of this service."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request came too slowly. Send it again."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The body is larger than this endpoint takes."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Send JSON: \"Content-Type: application/json\", and \"Content-Encoding: gzip\" or none."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    getSurvey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The survey.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The survey */
            200: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Autumn pulse",
                     *       "companyId": 1,
                     *       "start": "2026-05-01T02:00:00Z",
                     *       "end": "2026-06-01T02:00:00Z",
                     *       "state": 2,
                     *       "surveyDefinitionId": 2,
                     *       "startDate": "2026-05-01T02:00:00Z",
                     *       "endDate": "2026-06-01T02:00:00Z",
                     *       "surveySelectionRule": "{\"Frequency\":\"Quarterly\",\"Filters\":{\"Manager\":\"JENSEN\"}}",
                     *       "questions": [
                     *         {
                     *           "order": 1,
                     *           "key": "Q1",
                     *           "type": 1,
                     *           "texts": {
                     *             "1045": "Welcome."
                     *           },
                     *           "configuration": null,
                     *           "stepType": 1
                     *         },
                     *         {
                     *           "order": 2,
                     *           "key": "Q2",
                     *           "type": 2,
                     *           "texts": {
                     *             "1045": "How are you today?"
                     *           },
                     *           "configuration": "{\"AnswerOptions\":[{\"LabelKey\":\"Q2_1\",\"Value\":1,\"Texts\":{\"1045\":\"Great.\"}},{\"LabelKey\":\"Q2_2\",\"Value\":2,\"Texts\":{\"1045\":\"As always.\"}}]}",
                     *           "stepType": 2
                     *         },
                     *         {
                     *           "order": 3,
                     *           "key": "Q3",
                     *           "type": 99,
                     *           "texts": {
                     *             "1045": "Thank you."
                     *           },
                     *           "configuration": null,
                     *           "stepType": 99
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Survey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The request is not valid.",
                     *       "ValidationErrors": [
                     *         "Query parameter 'Top' must be an integer from 1 to 100"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["InvalidRequest"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Bearer */
                    "WWW-Authenticate"?: string;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Authorization has been denied for this request."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "There is nothing at this path. See /docs for the paths of this service."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "Too many calls of this API user. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "An unexpected error happened. Give the ApiOperationId when you report it.",
                     *       "ApiOperationId": "019aa2f0-5c00-7000-8000-000000000003"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerError"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Seconds after which to call again. */
                    "Retry-After"?: number;
                    /** @description Names the call in the log; the caller's own where one was sent. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "Message": "The service cannot answer at the moment. Try again after the seconds in Retry-After."
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
}
