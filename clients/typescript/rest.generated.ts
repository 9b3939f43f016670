// Written by `npm run clients`; do not edit.

export interface paths {
    "/graphql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs an operation on the graph of all services
         * @description Queries and mutations; subscriptions use a WebSocket at this same address (see `asyncapi.json`). Files are sent as a GraphQL multipart request with the header `Apollo-Require-Preflight`. The explorer is at `/explorer`.
         */
        post: operations["runGraphOperation"];
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
         * @description For everybody.
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
         * Whether the gateway is ready
         * @description For everybody.
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
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures for Prometheus
         * @description For everybody.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description For everybody.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The messages of the WebSockets
         * @description For everybody.
         */
        get: operations["getAsyncApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import members of a gym
         * @description The body is JSON lines, each `{"email", "displayName"}`, or CSV with these two columns; at most 16 MiB and 100000 lines. The answer comes when the whole file is stored; its lines are written afterwards, and GET /users/imports/:id shows the result of each. Each new account is a MEMBER without a password. A line whose email has an account already changes nothing, so a file can be sent again after an interruption.
         *
         *     For GYM_ADMIN: into their gym; SUPER_ADMIN: into any; machine clients with `members:write`.
         */
        post: operations["importUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The progress and the lines of an import of members
         * @description Imports are removed 30 days after they began; the accounts stay.
         *
         *     For GYM_ADMIN: of their gym; SUPER_ADMIN: all; machine clients with `members:write`.
         */
        get: operations["getUserImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account
         * @description The role of a new account is MEMBER, whatever the body says. Emails are unique without regard to case. With `gymId`, the policy of the gym decides whether the membership is ACTIVE at once, or PENDING until the email is verified or the staff agree. A mail asks the user to verify their email.
         *
         *     For everybody.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's account; the same as `GET /users/me`
         * @description For users.
         */
        get: operations["getMyAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's account
         * @description For users.
         */
        get: operations["getMyProfile"];
        put?: never;
        post?: never;
        /**
         * Delete the caller's account
         * @description The deletion is immediate and final. Identity deletes the profile and ends all sessions at once; each other service erases its part as soon as it can be reached. `Location` is the path of the receipt, which says what each service did.
         *
         *     For users.
         */
        delete: operations["deleteMyAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users
         * @description With the people who have applied to the gym, and those whose membership has ended. `search` finds a part of the name or the email, without regard to case and accents.
         *
         *     For GYM_ADMIN: of their gym; SUPER_ADMIN: all; machine clients with `members:read`.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/super-admins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The SUPER_ADMINs, whom users contact for support
         * @description For users.
         */
        get: operations["listSuperAdmins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/by-qr-code/{qrCode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user with a QR code
         * @description For services, admins of the user's gym.
         */
        get: operations["getUserByQrCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/email-availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether an email is free to register
         * @description For services.
         */
        get: operations["checkEmailAvailability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The profile of a user
         * @description The user themselves and the admins of their gym see all of it (of people who have applied or left, all but the QR code), a machine client all but the QR code, other users of the gym see the public fields, and everybody else gets 404.
         *
         *     For users; machine clients with `members:read`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description The answer is the same if the email is unknown, if the password is wrong, and if the account is locked for 15 minutes after ten failures. A suspended account gets `ACCOUNT_SUSPENDED`, but only with the right password.
         *
         *     For everybody.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the next tokens
         * @description A refresh token works once; a second use, even at the same moment, ends the session. To repeat a request whose answer was lost, send the same Idempotency-Key.
         *
         *     For everybody.
         */
        post: operations["refreshTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session
         * @description Ends the session of the refresh token, or without one the session of the access token. The access token is refused by every service within 5 seconds.
         *
         *     For everybody.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's sessions
         * @description For users.
         */
        get: operations["listMySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of the caller's sessions
         * @description For users.
         */
        delete: operations["endMySession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/ended-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions whose access tokens are no longer valid
         * @description For the services of the platform, which call it every 2 seconds.
         *
         *     For services.
         */
        get: operations["listEndedSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a mail to set a new password
         * @description The answer is the same whether an account has that address or not.
         *
         *     For everybody.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/password-reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token of a mail
         * @description A token works once and for one hour (the token of an invitation for seven days). All sessions of the account end.
         *
         *     For everybody.
         */
        post: operations["confirmPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Ends all your sessions but this one. A wrong current password counts as a failed log-in: ten in 15 minutes lock the account for 15 minutes.
         *
         *     For users.
         */
        post: operations["changeMyPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update the personal profile of the caller
         * @description Fields that are absent or null are unchanged, but for the keys in `body`, where null removes the value; an empty `bio` removes the stored one. A service of the platform names the user by `userId`.
         *
         *     For users.
         */
        put: operations["updateMyProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/qr/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new QR code
         * @description The previous code is no longer valid.
         *
         *     For users.
         */
        post: operations["rotateMyQrCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/me/qr.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The QR code of the caller as SVG
         * @description For users.
         */
        get: operations["getMyQrCodeAsSvg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/me/qr.png": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The QR code of the caller as PNG
         * @description For users.
         */
        get: operations["getMyQrCodeAsPng"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/profile/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a new profile picture
         * @description JPEG, PNG, WebP or AVIF of at most 10 MiB and 50 million pixels. The picture is cropped to a square, scaled down and encoded again, without its metadata.
         *
         *     For users.
         */
        post: operations["uploadMyAvatar"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/avatars/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A profile picture
         * @description For everybody.
         */
        get: operations["getAvatar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/{id}/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the role of a user
         * @description The change is audited. It makes the access tokens of the user invalid; a refresh returns one with the new role. `CONFLICT` for the role of the last SUPER_ADMIN.
         *
         *     For SUPER_ADMIN.
         */
        put: operations["setUserRole"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/{id}/gym": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Move a user to a gym, or out of their gym
         * @description A GYM_ADMIN may add members without a gym to their own gym, and remove its members. The change is audited. It makes the access tokens of the user invalid; a refresh returns one with the new gym.
         *
         *     For GYM_ADMIN, SUPER_ADMIN.
         */
        put: operations["setUserGym"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/{id}/membership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the membership of a user
         * @description PENDING becomes ACTIVE or ENDED, ACTIVE and FROZEN become each other or ENDED, ENDED becomes ACTIVE. At `until`, FROZEN becomes ACTIVE again, and ACTIVE becomes ENDED; absent or null: never. The change is audited. An ended membership ends the open visit of the user, their bookings and their open orders; they leave challenges and squads, and their access tokens with the gym are refused within 5 s. Nobody changes their own membership; that of a GYM_ADMIN is changed by a SUPER_ADMIN.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `members:write`.
         */
        put: operations["setUserMembership"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/gyms/{id}/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join a gym, or apply to it
         * @description For users without a gym. By the gym's policy, the membership is ACTIVE at once, or PENDING until the email is verified or the staff agree. A refresh returns an access token with the gym.
         *
         *     For MEMBER.
         */
        post: operations["joinGym"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The memberships of users at this moment
         * @description For services.
         */
        get: operations["listMemberships"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an email with the token of a mail
         * @description A token works once and for 24 hours. A membership that waited for this becomes ACTIVE. An accepted invitation and a new password with a mailed token verify the email, too.
         *
         *     For everybody.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/verify-email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the mail to verify your email again
         * @description One user gets at most five mails per hour, and none if the email is verified; the answer is the same.
         *
         *     For users.
         */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/{id}/suspension": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Suspend an account, or end its suspension
         * @description A suspension ends all sessions of the account: every service refuses its access tokens within 5 s, and its refresh tokens. A log-in with the right password gets `ACCOUNT_SUSPENDED`. Audited. `CONFLICT` for the last SUPER_ADMIN.
         *
         *     For SUPER_ADMIN.
         */
        put: operations["setUserSuspension"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open invitations, the oldest first
         * @description For GYM_ADMIN: of their gym; SUPER_ADMIN: all.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a user: create an account whose password they set with a mailed token
         * @description A GYM_ADMIN invites members into their gym. A member who has an account without a gym gets a mail, and accepts by `POST /gyms/:id/join` with a verified email; the answer then has only what was sent, and an id of the invitation.
         *
         *     For GYM_ADMIN, SUPER_ADMIN, services.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/invitations/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the mail of an invitation again
         * @description `:id` is the id of the invitation. The mail has a new token; the tokens of earlier mails work until they expire. One user gets at most five mails per hour.
         *
         *     For GYM_ADMIN of its gym, SUPER_ADMIN, services.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation that has not been accepted
         * @description `:id` is the id of the invitation.
         *
         *     For GYM_ADMIN of its gym, SUPER_ADMIN, services.
         */
        delete: operations["withdrawInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that all services store about the caller
         * @description Waits for the complete document. If a service does not answer, the answer is 503 with the name of that service; the export continues in the background, and the message says where to download it.
         *
         *     For users.
         */
        get: operations["exportMyData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/me/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's exports, the newest first
         * @description For users.
         */
        get: operations["listMyExports"];
        put?: never;
        /**
         * Request an export of everything that all services store about the caller
         * @description The export is made in the background, also while a service is down, and kept for 7 days. A user has one running export at a time: another request returns the running one.
         *
         *     For users.
         */
        post: operations["requestMyExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/me/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of one of the caller's exports
         * @description For users.
         */
        get: operations["getMyExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/users/me/exports/{id}/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The document of one of the caller's exports
         * @description For users.
         */
        get: operations["getMyExportDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/account-deletions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The receipt of a deletion
         * @description Every caller who knows its id may read it; the id is random.
         *
         *     For everybody.
         */
        get: operations["getDeletionReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The audit trail of actions on accounts, the newest first
         * @description For SUPER_ADMIN.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token for a machine client, or for a service of the platform
         * @description Client credentials as in OAuth 2.0 (RFC 6749, section 4.4), in a form or a JSON body; `client_id` and `client_secret` may be sent by HTTP Basic authentication instead. The token of a machine client is valid for 15 minutes, and has the scopes in `scope`, separated by spaces, or all that the client was granted.
         *
         *     For everybody.
         */
        post: operations["getClientToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/api-clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Machine clients, the oldest first
         * @description For GYM_ADMIN: of their gym; SUPER_ADMIN: all.
         */
        get: operations["listApiClients"];
        put?: never;
        /**
         * Create a machine client
         * @description For a turnstile, a kiosk or another system of a gym. It gets tokens by `POST /auth/token`, and may do what its scopes say. A gym has at most 100.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        post: operations["createApiClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/api-clients/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a machine client a new secret
         * @description The previous secret stays valid for 24 hours, so that there is time to set the new one at the machine. A second rotation ends it at once.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        post: operations["rotateApiClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/api-clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a machine client
         * @description All services refuse its tokens within 5 seconds.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        delete: operations["deleteApiClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/references/{typeName}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the references to an entity that its owning service has removed
         * @description A repeated call changes nothing.
         *
         *     For the service that owns the entity.
         */
        delete: operations["identityRemoveReferences"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The change feed: public events in the order of their commits
         * @description A gym's events, and those of things that belong to all gyms. Send `next` of each answer as `after` of the next request: no event is missed, and none comes twice. Events are kept for 30 days. The feed of the gym service has the events of all services, at most 2 seconds later. A machine client gets the types whose resource its scopes let it read.
         *
         *     For GYM_ADMIN: of their gym; SUPER_ADMIN and services: all; machine clients with `events:read`.
         */
        get: operations["identityListEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/staff-mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a mail to those who run a gym
         * @description To the GYM_ADMINs of the gym; to the SUPER_ADMINs if it has none, or if no gym is named.
         *
         *     For services.
         */
        post: operations["mailStaff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys that verify access tokens
         * @description A JSON Web Key Set (RFC 7517). A new key is published before it signs; an old one stays published until its last token has expired.
         *
         *     For everybody.
         */
        get: operations["getSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/auth/keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing key now
         * @description The next key is published at once and signs from `signsFrom` on. Tokens of the previous key stay valid until they expire, so clients have nothing to do.
         *
         *     For SUPER_ADMIN.
         */
        post: operations["rotateSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of this service that wait, run or have failed, the newest first
         * @description A job that has succeeded is not stored. One that has failed for good is kept for 30 days.
         *
         *     For SUPER_ADMIN.
         */
        get: operations["identityListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/identity/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job at once, with all of its attempts again
         * @description For SUPER_ADMIN.
         */
        post: operations["identityRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gyms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All gyms, by name
         * @description Without the gyms that are not active.
         *
         *     For everybody.
         */
        get: operations["listGyms"];
        put?: never;
        /**
         * Add a gym
         * @description For SUPER_ADMIN, services.
         */
        post: operations["createGym"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gyms/{gymId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A gym
         * @description For everybody.
         */
        get: operations["getGym"];
        /**
         * Change the name, time zone, join policy or activity of a gym
         * @description Fields that are absent or null are unchanged. Only a SUPER_ADMIN changes `active`: nobody joins a gym that is not active, nobody checks in, and nothing is added to it; what is stored can be read. Audited.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        put: operations["updateGym"];
        post?: never;
        /**
         * Withdraw a gym that the calling service has created
         * @description Deletes the gym with its locations and configuration. Refused once the gym is in use: if it has a visit, post, challenge, announcement, product or program.
         *
         *     For services.
         */
        delete: operations["withdrawGym"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gyms/{gymId}/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a gym that the calling service has created
         * @description Until the gym is open, only that service can see it. A repeated call changes nothing.
         *
         *     For services.
         */
        post: operations["openGym"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/config/{gymId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Branding and feature configuration of a gym
         * @description For everybody.
         */
        get: operations["getGymConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Publish the branding and feature configuration of a gym
         * @description Theme, assets and features are merged by RFC 7396: objects are merged key by key at every depth; any other value, also a list, replaces the stored one; null removes the key; an absent key is unchanged. The primary colour cannot be removed. Every value under `theme.colors` must be a colour, except below keys that begin with `x-`; other texts of the theme must not contain characters that end a CSS value, such as `;` and `}`; every text of `assets` is an http(s) URL or a path.
         *
         *     For SUPER_ADMIN, services.
         */
        put: operations["publishGymConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/config/{gymId}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The draft of the next configuration
         * @description For SUPER_ADMIN.
         */
        get: operations["getGymConfigDraft"];
        /**
         * Save the draft; the first change creates it from the published configuration
         * @description Theme, assets and features are merged by RFC 7396: objects are merged key by key at every depth; any other value, also a list, replaces the stored one; null removes the key; an absent key is unchanged.
         *
         *     For SUPER_ADMIN.
         */
        put: operations["saveGymConfigDraft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/config/{gymId}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the draft
         * @description VERSION_CONFLICT if another configuration was published after the draft was created.
         *
         *     For SUPER_ADMIN.
         */
        post: operations["publishGymConfigDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/config/{gymId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Published versions, newest first
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        get: operations["listGymConfigVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/config/{gymId}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish an earlier version again, as the next version
         * @description For SUPER_ADMIN.
         */
        post: operations["rollBackGymConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/config/{gymId}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The theme as W3C design tokens
         * @description For everybody.
         */
        get: operations["getDesignTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The locations of the caller's gym
         * @description For users; machine clients with `check-in` or `occupancy:read`.
         */
        get: operations["listLocations"];
        put?: never;
        /**
         * Add a location
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN, services.
         */
        post: operations["createLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A location
         * @description For users; machine clients with `check-in` or `occupancy:read`.
         */
        get: operations["getLocation"];
        /**
         * Change a location
         * @description Absent fields are unchanged. `null` removes the address or the opening hours.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        put: operations["updateLocation"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations/{id}/occupancy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The current occupancy of a location
         * @description For users; machine clients with `check-in` or `occupancy:read`.
         */
        get: operations["getOccupancy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations/{id}/occupancy/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The occupancy of a location, hour by hour
         * @description For users; machine clients with `check-in` or `occupancy:read`.
         */
        get: operations["listOccupancyHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations/{id}/occupancy/chart.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The occupancy of a location, hour by hour, as a picture
         * @description For users; machine clients with `check-in` or `occupancy:read`.
         */
        get: operations["getOccupancyChart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations/check-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a member in by their QR code
         * @description Members present their own code, staff and machine clients any code of their gym; they also get the name, the picture and the membership of the member. A second scan during an open visit answers 200 with the same visit and `duplicate: true`.
         *
         *     For users; machine clients with `check-in`.
         */
        post: operations["checkIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations/check-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an open visit
         * @description Ends the visit of the member with the presented code, or of `userId` (only for staff and machine clients); without both, the caller's own visit.
         *
         *     For users; machine clients with `check-in`.
         */
        post: operations["checkOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/check-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visits of a member, newest first
         * @description The caller's own visits, or with `userId` those of a member of the gym that the caller manages.
         *
         *     For users.
         */
        get: operations["listVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/check-ins/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Undo a check-in; audited
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        delete: operations["undoCheckIn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/locations/{id}/denials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Denials (refused check-ins) at a location, newest first
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `visits:read`.
         */
        get: operations["listDenials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The active challenges of the caller's gym
         * @description For users.
         */
        get: operations["listChallenges"];
        put?: never;
        /**
         * Add a challenge
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        post: operations["createChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/challenges/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One challenge
         * @description For users.
         */
        get: operations["getChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/challenges/{id}/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take part
         * @description Joining a second time changes nothing.
         *
         *     For users.
         */
        post: operations["joinChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/challenges/{id}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a challenge
         * @description For users.
         */
        post: operations["leaveChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/challenges/{id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add to the caller's score in a challenge that is not counted automatically
         * @description For users.
         */
        post: operations["addChallengeProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/challenges/{id}/leaderboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The leaderboard; of equal scores the earlier one ranks higher
         * @description For users.
         */
        get: operations["listLeaderboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/announcements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The current announcements of the caller's gym, newest first
         * @description For users.
         */
        get: operations["listAnnouncements"];
        put?: never;
        /**
         * Publish an announcement
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        post: operations["createAnnouncement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/announcements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an announcement
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        delete: operations["deleteAnnouncement"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The posts of the caller's gym, newest first
         * @description For users.
         */
        get: operations["listPosts"];
        put?: never;
        /**
         * Write a post
         * @description The body is JSON, or multipart with a picture in `image` (JPEG, PNG, WebP or AVIF).
         *
         *     For users.
         */
        post: operations["createPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/posts/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reported posts, latest report first
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        get: operations["listPostReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/posts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One post
         * @description For users.
         */
        get: operations["getPost"];
        put?: never;
        post?: never;
        /**
         * Delete a post
         * @description For its author, staff of the gym.
         */
        delete: operations["deletePost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/posts/{id}/like": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Like a post
         * @description For users.
         */
        put: operations["likePost"];
        post?: never;
        /**
         * Remove a like
         * @description For users.
         */
        delete: operations["unlikePost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/posts/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Comments of a post, oldest first
         * @description For users.
         */
        get: operations["listComments"];
        put?: never;
        /**
         * Comment on a post
         * @description For users.
         */
        post: operations["createComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/posts/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a post to the gym's admins
         * @description For users.
         */
        post: operations["reportPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/media/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The picture of a post
         * @description For everybody.
         */
        get: operations["getPostPicture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/{gymId}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A gym's shop: products of the content service in the gym's order, with its own terms
         * @description For everybody.
         */
        get: operations["listGymProducts"];
        /**
         * Replace the products of a gym's shop
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        put: operations["replaceGymProducts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/gym/{gymId}/programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A gym's programme: routines of the content service in the gym's order
         * @description For everybody.
         */
        get: operations["listGymPrograms"];
        /**
         * Replace the programme of a gym
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        put: operations["replaceGymPrograms"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The change feed: public events in the order of their commits
         * @description A gym's events, and those of things that belong to all gyms. Send `next` of each answer as `after` of the next request: no event is missed, and none comes twice. Events are kept for 30 days. The feed of the gym service has the events of all services, at most 2 seconds later. A machine client gets the types whose resource its scopes let it read.
         *
         *     For GYM_ADMIN: of their gym; SUPER_ADMIN and services: all; machine clients with `events:read`.
         */
        get: operations["gymListEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhooks, the oldest first
         * @description For GYM_ADMIN: of their gym; SUPER_ADMIN: all; machine clients with `webhooks`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The events of the gym are sent to the URL from now on, by the Standard Webhooks specification. A machine client may choose only types whose resource its scopes let it read. A gym has at most 20.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        get: operations["getWebhook"];
        /**
         * Change a webhook, or switch it on or off
         * @description Absent fields are unchanged.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Delete a webhook with its deliveries
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description For 24 hours, deliveries are signed with both secrets, so that there is time to set the new one at the receiver. A further rotation ends the oldest.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was sent to a webhook, newest first
         * @description Deliveries are kept for 30 days.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one event again
         * @description With the same `webhook-id`.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the events of a time again
         * @description All events of its types that occurred in this time, also those that were not sent because the webhook did not exist or was switched off; at most 10,000.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event of the type `webhook.test`
         * @description Once, also if the webhook is switched off.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN; machine clients with `webhooks`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/memberships/ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End what a membership allowed in this service
         * @description Ends the open visit of the user, their bookings and their open orders, and removes them from running challenges. A repeated call changes nothing.
         *
         *     For the identity service.
         */
        post: operations["endMembershipAtGym"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/accounts/{userId}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this service stores about a user
         * @description At most 1,000 records per page, one kind after the other. Empty if the service stores nothing about the user. `GET /users/me/export` of the identity service collects these pages.
         *
         *     For the identity service.
         */
        get: operations["gymListAccountRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/accounts/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase what this service stores about a user
         * @description The erasure is immediate and final; requests that are still running can store nothing more about the user. A repeated call returns the same result.
         *
         *     For the identity service.
         */
        delete: operations["gymEraseAccountRecords"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of this service that wait, run or have failed, the newest first
         * @description A job that has succeeded is not stored. One that has failed for good is kept for 30 days.
         *
         *     For SUPER_ADMIN.
         */
        get: operations["gymListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job at once, with all of its attempts again
         * @description For SUPER_ADMIN.
         */
        post: operations["gymRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gym/references/{typeName}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the references to an entity that its owning service has removed
         * @description A repeated call changes nothing.
         *
         *     For the service that owns the entity.
         */
        delete: operations["gymRemoveReferences"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/accounts/{userId}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this service stores about a user
         * @description At most 1,000 records per page, one kind after the other. Empty if the service stores nothing about the user. `GET /users/me/export` of the identity service collects these pages.
         *
         *     For the identity service.
         */
        get: operations["wizardListAccountRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/accounts/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase what this service stores about a user
         * @description The erasure is immediate and final; requests that are still running can store nothing more about the user. A repeated call returns the same result.
         *
         *     For the identity service.
         */
        delete: operations["wizardEraseAccountRecords"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of this service that wait, run or have failed, the newest first
         * @description A job that has succeeded is not stored. One that has failed for good is kept for 30 days.
         *
         *     For SUPER_ADMIN.
         */
        get: operations["wizardListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job at once, with all of its attempts again
         * @description For SUPER_ADMIN.
         */
        post: operations["wizardRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/check-availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether a name, a slug, an email or a slot for a first visit is available
         * @description A slot is the half hour that contains the start in `<locationId>@<start>`. The capacity of the location is the number of places. The slot must be within the opening hours and at most 90 days ahead. `reserve=true` reserves an available value for the session (`sessionId`, opened by access token or `X-Resume-Token`) for 15 minutes. A session can reserve one value of each resource, and a member one slot.
         *
         *     For everybody.
         */
        get: operations["checkAvailability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/first-visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * First visits of new members
         * @description First visits of deployed onboardings, the earliest first; at most 1,000.
         *
         *     For GYM_ADMIN: of their gym; SUPER_ADMIN: of any gym.
         */
        get: operations["listFirstVisits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wizard sessions, newest first
         * @description For users: their own sessions; SUPER_ADMIN: all.
         */
        get: operations["listWizardSessions"];
        put?: never;
        /**
         * Begin a wizard session
         * @description MEMBER_ONBOARDING needs no account: without one the answer contains the `resumeToken`. GYM_SETUP is for GYM_ADMIN and SUPER_ADMIN.
         *
         *     For everybody.
         */
        post: operations["createWizardSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A wizard session and the state of its steps
         * @description A session that was created without an account is opened with its token in `X-Resume-Token`.
         *
         *     For everybody.
         */
        get: operations["getWizardSession"];
        /**
         * Save a part of a step, and move to another step
         * @description Incomplete or invalid data is saved, too, and reported in the step's `errors` and `currentlyDue`; the session does not move past that step. A session that was created without an account is opened with its token in `X-Resume-Token`.
         *
         *     For everybody.
         */
        put: operations["updateWizardSession"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/{sessionId}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim a session that was created without an account
         * @description A session can be claimed once. From then on it is opened with your access token, and its resume token is no longer valid.
         *
         *     For users.
         */
        post: operations["claimWizardSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/{sessionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a session that is not deployed
         * @description Its reservations are released and its files are removed. A repeated call changes nothing. A session that was created without an account is opened with its token in `X-Resume-Token`.
         *
         *     For everybody.
         */
        post: operations["cancelWizardSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/{sessionId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file into a step
         * @description Branding accepts pictures in `logo`, `splash` and `icon`; basics, branding, locations, body and review accept a `document` (a PDF or a picture). JPEG, PNG, WebP and AVIF pictures, detected by their content, are encoded again; at most 10 MiB. The file's URL is then in the step's data. A session without an account needs `X-Resume-Token`.
         *
         *     For everybody.
         */
        post: operations["uploadWizardFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/{sessionId}/files/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of a session
         * @description Callers who may open the session may read the file; pictures of a deployed gym are public.
         *
         *     For everybody.
         */
        get: operations["getWizardFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/{sessionId}/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy a completed session
         * @description The answer is 202 while the deployment is running: read `deployment` of the session, or subscribe to `wizardDeploymentUpdated`. The answer is 200 if the session is deployed already. If a service refuses an action, the whole deployment is undone; the session is then FAILED, with the reason in that action, and can be corrected and deployed again. If an action cannot be undone, `deployment.status` is UNDO_FAILED and a SUPER_ADMIN must resolve it first.
         *
         *     For GYM_SETUP: SUPER_ADMIN; MEMBER_ONBOARDING: its owner, SUPER_ADMIN.
         */
        post: operations["deployWizardSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wizard/{sessionId}/deployment/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide about a deployment that could not be undone
         * @description For `deployment.status` UNDO_FAILED. RETRY tries again to undo what is left. ACCEPT leaves it: the deployment becomes UNDONE, the names are released, and the session can be corrected, deployed again or cancelled. The note and the author of the decision are stored in `deployment.resolution`.
         *
         *     For SUPER_ADMIN.
         */
        post: operations["resolveDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/analyze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Estimate the nutrients of a meal, from words or pictures
         * @description JSON `{prompt, locale?}`, or multipart with 1 to 4 pictures in `image` and an optional `prompt`. The AI provider estimates if one is configured, else the food table (words only). Nothing is logged.
         *
         *     For users.
         */
        post: operations["analyzeMeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/log/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a food log from CSV
         * @description The file is the body, or a multipart file. The first line names the columns: foodName, calories, and loggedAt or localDate; optionally mealType, quantity, unit, grams, protein, carbs, fats. Exports of MyFitnessPal, Cronometer and FatSecret are also accepted. At most 100,000 lines and 25 MiB. The file may be in UTF-8, UTF-16 or Windows-1252, with comma, semicolon or tab between fields, and with decimal points or commas. This is detected, and stated in `format`. Every line is imported, or is a duplicate, or is wrong and reported. Lines are written a thousand at a time. If the connection breaks, send the file again: lines that were imported before are not imported twice.
         *
         *     For users.
         */
        post: operations["importFoodLog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/log/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The progress, or the result, of an import
         * @description For users.
         */
        get: operations["getFoodLogImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/history/{userId}/export.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The food log as CSV, the oldest entry first
         * @description For users.
         */
        get: operations["exportFoodLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log a food, or all foods of a meal
         * @description For the caller. One entry, or `{entries: [...]}`, of which all or none are written. With a `foodId`, an absent name, weight or nutrient follows from the food. An entry whose nutrients, energy and weight contradict each other is refused.
         *
         *     For users.
         */
        post: operations["logFood"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/history/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The food log, the latest day first
         * @description Only your own; another user is 404, also for admins.
         *
         *     For users.
         */
        get: operations["listFoodLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/log/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One entry of your own food log
         * @description For users.
         */
        get: operations["getFoodLogEntry"];
        /**
         * Change an entry
         * @description Absent fields are unchanged; null empties a field that may be null. A new weight (`grams`) changes absent nutrients and an absent quantity in proportion. A new day (`localDate`) keeps the local time.
         *
         *     For users.
         */
        put: operations["updateFoodLogEntry"];
        post?: never;
        /**
         * Delete an entry
         * @description For users.
         */
        delete: operations["deleteFoodLogEntry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/log/{id}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log the same food again: now, or at the time of the body
         * @description For users.
         */
        post: operations["copyFoodLogEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/goals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your nutrition goals
         * @description For users.
         */
        get: operations["listGoals"];
        /**
         * Set your goal for a weekday or a date; with neither, the default goal
         * @description The goal is valid from the day `from` until the next goal of its kind begins; earlier days keep their goals. A goal with the same first day is replaced.
         *
         *     For users.
         */
        put: operations["setGoal"];
        post?: never;
        /**
         * Delete your goal of a weekday or a date; with neither, the default goal
         * @description The goal ends before the day `from`; earlier days keep it.
         *
         *     For users.
         */
        delete: operations["deleteGoal"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/history/{userId}/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Days with their entries, totals, goals and the remaining amounts
         * @description Every day of the range, at most 92; default: the last seven days. Averages are over the days with entries.
         *
         *     For users.
         */
        get: operations["listDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/history/{userId}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Totals and averages by day, week or month
         * @description At most ten years; default: the last 30 days. Its cost does not grow with the number of entries.
         *
         *     For users.
         */
        get: operations["getNutritionSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/history/{userId}/chart.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A picture of the series: a bar for each day, week or month, and a line for the goal
         * @description Its colours follow the light or dark scheme of the viewer.
         *
         *     For users.
         */
        get: operations["getNutritionChart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/foods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The food table and your own foods, by name or best match first
         * @description With `recent` or `favourite`, only such foods of yours; these need a token.
         *
         *     For everybody.
         */
        get: operations["listFoods"];
        put?: never;
        /**
         * Add a food of your own
         * @description Nobody else sees it. A user has at most 1,000.
         *
         *     For users.
         */
        post: operations["createFood"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/foods/barcode/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The food with a barcode
         * @description Your own food, else a product of the product database, if one is configured. EAN-8, UPC-A or EAN-13; any other text is 400.
         *
         *     For users.
         */
        get: operations["getFoodByBarcode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/foods/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One food
         * @description For everybody.
         */
        get: operations["getFood"];
        /**
         * Change a food of your own
         * @description Absent fields are unchanged; null empties a field that may be null. Entries that were logged keep their values.
         *
         *     For users.
         */
        put: operations["updateFood"];
        post?: never;
        /**
         * Delete a food of your own
         * @description Entries that were logged with it stay.
         *
         *     For users.
         */
        delete: operations["deleteFood"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/foods/{id}/favourite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a food to your favourites
         * @description A user has at most 1,000.
         *
         *     For users.
         */
        put: operations["addFavouriteFood"];
        post?: never;
        /**
         * Remove a food from your favourites
         * @description For users.
         */
        delete: operations["removeFavouriteFood"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/accounts/{userId}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this service stores about a user
         * @description At most 1,000 records per page, one kind after the other. Empty if the service stores nothing about the user. `GET /users/me/export` of the identity service collects these pages.
         *
         *     For the identity service.
         */
        get: operations["nutritionListAccountRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/accounts/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase what this service stores about a user
         * @description The erasure is immediate and final; requests that are still running can store nothing more about the user. A repeated call returns the same result.
         *
         *     For the identity service.
         */
        delete: operations["nutritionEraseAccountRecords"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of this service that wait, run or have failed, the newest first
         * @description A job that has succeeded is not stored. One that has failed for good is kept for 30 days.
         *
         *     For SUPER_ADMIN.
         */
        get: operations["nutritionListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nutrition/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job at once, with all of its attempts again
         * @description For SUPER_ADMIN.
         */
        post: operations["nutritionRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/exercises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The exercise library, by name
         * @description An exercise matches all filters; an unknown value gives an empty list.
         *
         *     For everybody.
         */
        get: operations["listExercises"];
        put?: never;
        /**
         * Add an exercise
         * @description For GYM_ADMIN: to their gym; SUPER_ADMIN: for all gyms, or to any gym.
         */
        post: operations["createExercise"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/exercises/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The categories of exercises, by name
         * @description For everybody.
         */
        get: operations["listExerciseCategories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/exercises/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One exercise
         * @description For everybody.
         */
        get: operations["getExercise"];
        /**
         * Change an exercise
         * @description Absent fields are unchanged.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        put: operations["updateExercise"];
        post?: never;
        /**
         * Delete an exercise
         * @description It leaves lists and search. Routines that use it can still name it.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        delete: operations["deleteExercise"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/muscles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The muscles that exercises train, by name
         * @description For everybody.
         */
        get: operations["listMuscles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/equipment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The equipment that exercises need, by name
         * @description For everybody.
         */
        get: operations["listEquipment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/workouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Workout routines, by title
         * @description Global routines and those of the caller's gym. An entry matches all filters; an unknown value gives an empty list.
         *
         *     For everybody.
         */
        get: operations["listWorkouts"];
        put?: never;
        /**
         * Add a routine
         * @description The exercise's modality decides which fields a set may have.
         *
         *     For GYM_ADMIN: to their gym; SUPER_ADMIN: for all gyms, or to any gym.
         */
        post: operations["createWorkout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/workouts/category/{category}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Workout routines of a category such as Strength or Cardio, by title
         * @description Upper and lower case do not matter; an unknown category gives an empty list.
         *
         *     For everybody.
         */
        get: operations["listWorkoutsOfCategory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/workouts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A routine with its blocks, exercises and sets
         * @description For everybody.
         */
        get: operations["getWorkout"];
        /**
         * Change a routine
         * @description Absent fields are unchanged. Every change makes a new version; earlier ones stay readable by `?version=`.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        put: operations["updateWorkout"];
        post?: never;
        /**
         * Delete a routine
         * @description It leaves the lists. Its versions stay readable by `?version=`, because past sessions refer to them.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        delete: operations["deleteWorkout"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/workouts/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The versions of a routine, the latest first
         * @description They stay readable after the routine was deleted.
         *
         *     For everybody.
         */
        get: operations["listWorkoutVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/workouts/{id}/exercises": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The exercises of a routine as they are now, each once, in the order of the blocks
         * @description For everybody.
         */
        get: operations["listWorkoutExercises"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The products of the shop, by name
         * @description Global products and those of the caller's gym.
         *
         *     For everybody.
         */
        get: operations["listProducts"];
        put?: never;
        /**
         * Add a product
         * @description For GYM_ADMIN: to their gym; SUPER_ADMIN: for all gyms, or to any gym.
         */
        post: operations["createProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/products/featured": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Products that are promoted now, the highest priority first
         * @description For everybody.
         */
        get: operations["listFeaturedProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One product
         * @description For everybody.
         */
        get: operations["getProduct"];
        /**
         * Change a product
         * @description Absent fields are unchanged; null empties a field that may be null.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        put: operations["updateProduct"];
        post?: never;
        /**
         * Delete a product
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        delete: operations["deleteProduct"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/media/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A picture of a routine, exercise or product
         * @description For everybody.
         */
        get: operations["getPicture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/workouts/{id}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the picture of a routine
         * @description JPEG, PNG, WebP or AVIF, at most 10 MiB. It is stored in three sizes, without metadata.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        post: operations["setWorkoutPicture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/exercises/{id}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the picture of an exercise
         * @description JPEG, PNG, WebP or AVIF, at most 10 MiB. It is stored in three sizes, without metadata.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        post: operations["setExercisePicture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/products/{id}/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a picture to a product
         * @description JPEG, PNG, WebP or AVIF, at most 10 MiB. It is stored in three sizes, without metadata.
         *
         *     For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        post: operations["addProductPicture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The change feed: public events in the order of their commits
         * @description A gym's events, and those of things that belong to all gyms. Send `next` of each answer as `after` of the next request: no event is missed, and none comes twice. Events are kept for 30 days. The feed of the gym service has the events of all services, at most 2 seconds later. A machine client gets the types whose resource its scopes let it read.
         *
         *     For GYM_ADMIN: of their gym; SUPER_ADMIN and services: all; machine clients with `events:read`.
         */
        get: operations["contentListEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/accounts/{userId}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this service stores about a user
         * @description At most 1,000 records per page, one kind after the other. Empty if the service stores nothing about the user. `GET /users/me/export` of the identity service collects these pages.
         *
         *     For the identity service.
         */
        get: operations["contentListAccountRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/accounts/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase what this service stores about a user
         * @description The erasure is immediate and final; requests that are still running can store nothing more about the user. A repeated call returns the same result.
         *
         *     For the identity service.
         */
        delete: operations["contentEraseAccountRecords"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of this service that wait, run or have failed, the newest first
         * @description A job that has succeeded is not stored. One that has failed for good is kept for 30 days.
         *
         *     For SUPER_ADMIN.
         */
        get: operations["contentListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job at once, with all of its attempts again
         * @description For SUPER_ADMIN.
         */
        post: operations["contentRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/content/references/{typeName}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the references to an entity that its owning service has removed
         * @description A repeated call changes nothing.
         *
         *     For the service that owns the entity.
         */
        delete: operations["contentRemoveReferences"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/online-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The online users of the caller's gym
         * @description Without invisible users, and without users who have blocked the caller or whom the caller has blocked.
         *
         *     For users.
         */
        get: operations["listOnlineUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/presence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Announce the caller's presence to their gym, or change it
         * @description The caller stays online for 30 seconds, or as long as a socket or a subscription of theirs is open. Absent fields keep their values.
         *
         *     For users.
         */
        put: operations["setMyPresence"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The clubs of the caller's gym
         * @description For users.
         */
        get: operations["listClubs"];
        put?: never;
        /**
         * Create a club in the caller's gym
         * @description For users.
         */
        post: operations["createClub"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/groups/{id}/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join a club
         * @description For users.
         */
        post: operations["joinClub"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/groups/{id}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a club
         * @description A club is deleted when its last member leaves.
         *
         *     For users.
         */
        post: operations["leaveClub"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Invites to the caller, or from them
         * @description For users.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Invite another user to train together
         * @description Without a `squadId` the invite is for a LOBBY of which the caller is the host and that nobody else has entered; a LOBBY is opened if there is none. If the caller has an open invite to the same user and squad, it is returned.
         *
         *     For users.
         */
        post: operations["sendInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/invites/{id}/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept or decline an invite
         * @description Accepting gives the right to join until the squad ends, the caller leaves it or is removed; joining is a separate request. When a squad ends, its open invites are revoked.
         *
         *     For users.
         */
        post: operations["respondToInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invite that the caller has sent
         * @description For users.
         */
        delete: operations["revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The open squads that the caller takes part in
         * @description For users.
         */
        get: operations["listMySquads"];
        put?: never;
        /**
         * Open a squad; the caller is its host
         * @description The squad trains the present version of the routine. A user hosts at most 5 open squads. A LOBBY ends after an hour in which no participant was connected and nothing has changed.
         *
         *     For users.
         */
        post: operations["openSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A squad
         * @description For participants. To all other users, invited or not, it does not exist.
         *
         *     For users.
         */
        get: operations["getSquad"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The events of a squad after a revision
         * @description For users.
         */
        get: operations["listSquadEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enter a squad that the caller is invited to
         * @description For users.
         */
        post: operations["joinSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a squad
         * @description If the host leaves, the participant who has been in the squad longest becomes host. If the last participant leaves, the squad ends. A user who has left needs a new invite to return, also if they were the host.
         *
         *     For users.
         */
        post: operations["leaveSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the workout, or continue it after a pause
         * @description For the host of the squad.
         */
        post: operations["startSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause the workout
         * @description For the host of the squad.
         */
        post: operations["pauseSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the workout
         * @description The workout is added to the history of every participant who trained.
         *
         *     For the host of the squad.
         */
        post: operations["endSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/kick": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a participant, or end the right of an invitee to enter
         * @description The user needs a new invite to enter again.
         *
         *     For the host of the squad.
         */
        post: operations["kickFromSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/host": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make another participant the host
         * @description For the host of the squad.
         */
        post: operations["makeSquadHost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/workout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store the caller's progress in the workout
         * @description The first update of anybody starts a squad that is in LOBBY. An `eventId` that was sent before changes nothing, a late update does not move the participant back, and a set that was done before is corrected and not counted again.
         *
         *     For users.
         */
        post: operations["updateWorkoutProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The chat of a squad
         * @description For participants.
         *
         *     For users.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Write to a squad
         * @description If the caller has used the `clientId` before in this squad, the earlier message is returned.
         *
         *     For users.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a message of the caller
         * @description The message stays in its place as `deleted: true`, without its text.
         *
         *     For users.
         */
        delete: operations["deleteMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squads/{id}/messages/{messageId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a message to the staff of the gym
         * @description Allowed after the caller has left the squad, too. A second report of the same message replaces the first.
         *
         *     For users.
         */
        post: operations["reportMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/squad-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reported messages of squads, latest report first
         * @description For GYM_ADMIN of the gym, SUPER_ADMIN.
         */
        get: operations["listMessageReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ids of users whom the caller has blocked
         * @description For users.
         */
        get: operations["listBlockedUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/blocks/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Block a user
         * @description The two no longer see each other online, cannot invite each other, and no longer train together. The other user is not notified.
         *
         *     For users.
         */
        post: operations["blockUser"];
        /**
         * Unblock a user
         * @description For users.
         */
        delete: operations["unblockUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/history/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Past squad workouts of the caller
         * @description For users.
         */
        get: operations["listSquadHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens in the caller's gym
         * @description Posts and announcements of the gym, and the activities of its squads and clubs. If the gym service does not answer, the feed contains the activities only, and the answer has the header `Incomplete: gym`; try again in a moment.
         *
         *     For users.
         */
        get: operations["listFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/accounts/{userId}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this service stores about a user
         * @description At most 1,000 records per page, one kind after the other. Empty if the service stores nothing about the user. `GET /users/me/export` of the identity service collects these pages.
         *
         *     For the identity service.
         */
        get: operations["squadListAccountRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/accounts/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase what this service stores about a user
         * @description The erasure is immediate and final; requests that are still running can store nothing more about the user. A repeated call returns the same result.
         *
         *     For the identity service.
         */
        delete: operations["squadEraseAccountRecords"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/memberships/ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End what a membership allowed in this service
         * @description Ends the presence of the user in the gym; they leave its open squads, and their open invites are closed. A repeated call changes nothing.
         *
         *     For the identity service.
         */
        post: operations["endMembershipAtSquad"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The jobs of this service that wait, run or have failed, the newest first
         * @description A job that has succeeded is not stored. One that has failed for good is kept for 30 days.
         *
         *     For SUPER_ADMIN.
         */
        get: operations["squadListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/squad/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job at once, with all of its attempts again
         * @description For SUPER_ADMIN.
         */
        post: operations["squadRetryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "member.joined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * member.joined
         * @description A user has become a member of the gym. The data is the user. A machine client needs the scope `members:read`.
         */
        post: operations["onMemberJoined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * member.updated
         * @description The profile or the role of a member has changed. The data is the user. A machine client needs the scope `members:read`.
         */
        post: operations["onMemberUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * member.removed
         * @description A user is no longer a member of the gym: they left, they were moved, or the account was deleted. The data is their id only. A machine client needs the scope `members:read`.
         */
        post: operations["onMemberRemoved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "check_in.opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * check_in.opened
         * @description A member was checked in. The data is the visit. A machine client needs the scope `visits:read`.
         */
        post: operations["onCheckInOpened"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "check_in.closed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * check_in.closed
         * @description A visit has ended: by a check-out, by a check-in at another location, or automatically. A machine client needs the scope `visits:read`.
         */
        post: operations["onCheckInClosed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "check_in.undone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * check_in.undone
         * @description Staff have undone a mistaken check-in; the visit no longer counts. A machine client needs the scope `visits:read`.
         */
        post: operations["onCheckInUndone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "check_in.denied": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * check_in.denied
         * @description A check-in was refused. The data is the denial. The first 60 denials of one caller in an hour have an event each; further ones have none. A machine client needs the scope `visits:read`.
         */
        post: operations["onCheckInDenied"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "occupancy.level_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * occupancy.level_changed
         * @description The level of a location (OK, BUSY, FULL) has changed. The data is its occupancy. A machine client needs the scope `occupancy:read`.
         */
        post: operations["onOccupancyLevelChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "challenge.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * challenge.ended
         * @description A challenge has reached its end. The data is the challenge.
         */
        post: operations["onChallengeEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gym_config.published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * gym_config.published
         * @description Branding or feature switches of a gym were published. The data is the configuration.
         */
        post: operations["onGymConfigPublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "gym.deployed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * gym.deployed
         * @description A gym has been opened. The data is the gym.
         */
        post: operations["onGymDeployed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "product.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * product.changed
         * @description A product was added, changed or deleted (subject `product/<id>`), or its price, stock or listing in the shop of a gym has changed (subject `gym-product/<productId>`). The data is the product or the listed product; after a removal it is the ids only. A machine client needs the scope `content:read`.
         */
        post: operations["onProductChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A user, without their QR code, body and training goals, and without the reason of their membership. `avatar` is the path at the gateway. */
        Member: {
            /** Format: uuid */
            id: string;
            email?: string;
            displayName: string;
            bio: string | null;
            /** @enum {string} */
            role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
            gymId: string | null;
            membership?: components["schemas"]["identity.Membership"] | null;
            avatar: string | null;
            locale: string;
            timezone: string;
            /** @enum {string} */
            units: "METRIC" | "IMPERIAL";
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description What a user and a gym have agreed: whether the user may train there. */
        "identity.Membership": {
            /**
             * Format: uuid
             * @description The id of the gym. `User.gymId` is the same while the membership is ACTIVE or FROZEN, and null otherwise.
             */
            gymId: string;
            /**
             * @description Whether the user belongs to the gym, and may check in. It changes at `until`.
             *     - `PENDING`: The user has applied. The membership begins once they have verified their email, or once the staff agree.
             *     - `ACTIVE`: The user belongs to the gym, and may check in.
             *     - `FROZEN`: The user belongs to the gym, but may not check in or book.
             *     - `ENDED`: The user no longer belongs to the gym.
             * @enum {string}
             */
            status: "PENDING" | "ACTIVE" | "FROZEN" | "ENDED";
            /**
             * Format: date-time
             * @description When the membership got this status.
             */
            since: string;
            /** @description When an ACTIVE membership ends, or a FROZEN one becomes ACTIVE again; null if that is open. */
            until: string | null;
            /** @description Why staff changed the membership; null without a reason, and for machine clients that do not write memberships. */
            reason: string | null;
        };
        /** @description An import of many members into one gym. It is removed 30 days after it began; the accounts stay. */
        UserImport: {
            /**
             * Format: uuid
             * @description The import's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The gym of the new accounts.
             */
            gymId: string;
            /**
             * @description How far the import is.
             *     - `RECEIVING`: The file is still arriving.
             *     - `RUNNING`: The file is stored, and its lines are written.
             *     - `DONE`: Every line has a result.
             * @enum {string}
             */
            status: "RECEIVING" | "RUNNING" | "DONE";
            /** @description The number of lines, without the header and empty lines. */
            total: number;
            /** @description Lines that created an account. */
            created: number;
            /** @description Lines whose email has an account already, which was not changed. */
            existing: number;
            /** @description Lines with errors, which created nothing. */
            failed: number;
            /**
             * Format: date-time
             * @description When the file began to arrive.
             */
            startedAt: string;
            /** @description Null until the status is DONE. */
            finishedAt: string | null;
        };
        /** @description RFC 9457 problem details. */
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description What was expected, what was received, and what to do next. */
            detail: string;
            instance: string;
            /** @enum {string} */
            code: "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "VALIDATION_FAILED" | "REQUEST_TIMEOUT" | "CONFLICT" | "VERSION_CONFLICT" | "IDEMPOTENCY_KEY_REUSED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "FEATURE_DISABLED" | "OPERATION_LIMIT_EXCEEDED" | "OPERATION_NOT_REGISTERED" | "UNAUTHORIZED_FIELD_OR_TYPE" | "SERVER_BUSY" | "UPSTREAM_UNAVAILABLE" | "UPSTREAM_TIMEOUT" | "INSUFFICIENT_STORAGE" | "CURSOR_EXPIRED" | "INTERNAL" | "SUBSCRIPTION_SCHEMA_RELOAD" | "SUBSCRIPTION_SLOW_CONSUMER" | "GYM_REQUIRED" | "LOCATION_FULL" | "QR_UNKNOWN" | "WRONG_GYM" | "MEMBERSHIP_INACTIVE" | "INVITATION_REQUIRED" | "ACCOUNT_SUSPENDED" | "AI_NOT_CONFIGURED" | "AI_UNAVAILABLE" | "AI_TIMEOUT" | "AI_UNUSABLE_ANSWER" | "WIZARD_INCOMPLETE" | "WIZARD_VERSION_UNSUPPORTED" | "SQUAD_ENDED" | "SQUAD_PAUSED" | "SQUAD_LIMIT" | "SQUAD_FULL" | "INVITE_CLOSED" | "UNKNOWN_EVENT";
            errors?: {
                path: string;
                message: string;
            }[];
            requestId: string;
        };
        UserImportWithLines: {
            /**
             * Format: uuid
             * @description The import's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The gym of the new accounts.
             */
            gymId: string;
            /**
             * @description RECEIVING: the file is still arriving. RUNNING: the file is stored, and its lines are written. DONE: every line has a result.
             * @enum {string}
             */
            status: "RECEIVING" | "RUNNING" | "DONE";
            /** @description The number of lines, without the header and empty lines. */
            total: number;
            /** @description Lines that created an account. */
            created: number;
            /** @description Lines whose email has an account already, which was not changed. */
            existing: number;
            /** @description Lines with errors, which created nothing. */
            failed: number;
            /**
             * Format: date-time
             * @description When the file began to arrive.
             */
            startedAt: string;
            /** @description Null until the status is DONE. */
            finishedAt: string | null;
            /** @description Lines in the order of the file. */
            lines: components["schemas"]["UserImportLine"][];
            /** @description The `after` that gives the following lines; null if there are none. */
            nextAfter: number | null;
        };
        /** @description A line of an imported file, and its result. */
        UserImportLine: {
            /** @description The line of the file; the first one is 1. */
            line: number;
            /**
             * @description What has become of the line.
             *     - `PENDING`: Not written yet.
             *     - `CREATED`: A new account.
             *     - `EXISTING`: An account with this email existed already, and was not changed.
             *     - `FAILED`: The line is wrong; see `errors`.
             * @enum {string}
             */
            status: "PENDING" | "CREATED" | "EXISTING" | "FAILED";
            /** @description The account of the line; null if there is none, if it has been deleted, or if it belongs to another gym. */
            userId: string | null;
            /** @description Null unless the status is FAILED. */
            errors: {
                /** @description The field; empty if the error concerns the whole line. */
                path: string;
                /** @description What was expected. */
                message: string;
            }[] | null;
        };
        /** @description A user: a person with an account. */
        User: {
            /**
             * Format: uuid
             * @description The user's id.
             */
            id: string;
            /** @description The email for log-in. Visible only to the user and the admins of their gym; the email of a SUPER_ADMIN is visible to every logged-in user. */
            email?: string;
            /** @description The name that other users see. */
            displayName: string;
            /** @description A text by the user about themselves; null if there is none. */
            bio: string | null;
            /**
             * @description What the user may do on the platform.
             *     - `MEMBER`: Trains at a gym.
             *     - `GYM_ADMIN`: Manages one gym.
             *     - `SUPER_ADMIN`: Manages the platform.
             * @enum {string}
             */
            role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
            /** @description The gym that the user belongs to; null if there is none. */
            gymId: string | null;
            /** @description The latest membership of a gym. Visible to the user, the staff of the gym and machine clients; null for everybody else, and if the user never had one. */
            membership?: components["schemas"]["identity.Membership"] | null;
            /** @description Whether the user has proved that they read the mails to `email`. Visible only to the user and the admins of their gym. */
            emailVerified?: boolean;
            /** @description Since when the account is suspended, and why; null if it is not. Visible only to admins. */
            suspension?: {
                /**
                 * Format: date-time
                 * @description When the account was suspended.
                 */
                since: string;
                /** @description Why, in the words of the SUPER_ADMIN; null without a reason. */
                reason: string | null;
            } | null;
            /** @description The code that the member shows to check in. Visible only to the user and the admins of their gym. */
            qrCode?: string;
            /** @description Path of the picture, at the server of this request; at the gateway `/identity/avatars/<file>`. Null if there is none. */
            avatar: string | null;
            /** @description BCP 47 language tag, e.g. `de-AT`. */
            locale: string;
            /** @description IANA time zone, e.g. `Europe/Berlin`. */
            timezone: string;
            /**
             * @description The units in which front ends show weights and lengths to the user.
             *     - `METRIC`: Kilograms, centimetres.
             *     - `IMPERIAL`: Pounds, feet and inches.
             * @enum {string}
             */
            units: "METRIC" | "IMPERIAL";
            /** @description Measurements by the user. Visible only to the user; null if not given. */
            body?: {
                /** @description The height in centimetres. */
                heightCm: number | null;
                /** @description The weight in kilograms. */
                weightKg: number | null;
                /**
                 * @description The sex that the user stated.
                 *     - `FEMALE`: Female.
                 *     - `MALE`: Male.
                 *     - `OTHER`: Another sex.
                 */
                sex: ("FEMALE" | "MALE" | "OTHER") | null;
                /** @description The day of birth, YYYY-MM-DD. */
                birthDate: string | null;
            } | null;
            /** @description What the user trains for. Visible only to the user; null if not given. */
            trainingGoals?: {
                /** @description The goals in the user's own words, at most 10. */
                goals: string[];
                /** @description How active the user is, in their own words; null if not given. */
                activity: string | null;
            } | null;
            /** @description Increases with every change. */
            version: number;
            /**
             * Format: date-time
             * @description The time at which the account was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time of the last change of the account.
             */
            updatedAt: string;
        };
        /** @description The result of a log-in or a refresh. */
        AuthPayload: {
            /** @description Access token (JWT), to be sent as `Authorization: Bearer <token>`. */
            token: string;
            /**
             * @description Always `Bearer`.
             * @constant
             */
            tokenType: "Bearer";
            /** @description Seconds until the access token expires. */
            expiresIn: number;
            /** @description Returns the next tokens, once; a second use ends the session. */
            refreshToken: string;
            /** @description The user who has logged in. */
            user: components["schemas"]["User"];
        };
        /** @description A log-in of a user on one device, until log-out, expiry or revocation. Each refresh token of a session is replaced by the next one at its use. */
        Session: {
            /**
             * Format: uuid
             * @description The session's id.
             */
            id: string;
            /**
             * Format: date-time
             * @description The time of the log-in.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the log-in or of the latest refresh.
             */
            lastUsedAt: string;
            /**
             * Format: date-time
             * @description When the session expires; extended by each refresh.
             */
            expiresAt: string;
            /** @description The `User-Agent` header of the log-in. */
            userAgent: string;
            /** @description Network address of the log-in. */
            address: string;
            /** @description Whether this request was made in this session. */
            current: boolean;
        };
        EndedSessions: {
            /** @description The sessions that have ended since then, the earliest first. */
            sessions: {
                /**
                 * Format: uuid
                 * @description The `sid` of the access tokens.
                 */
                id: string;
                /**
                 * Format: date-time
                 * @description The session's access tokens that expire before this time are refused; after this time the entry can be dropped.
                 */
                refusedUntil: string;
            }[];
            /** @description `since` of the next request. An entry may be sent twice. */
            next: string;
            /** @description Whether there are more entries, so that the next request should follow at once. */
            more: boolean;
        };
        MemberState: {
            /**
             * Format: uuid
             * @description The user's id.
             */
            userId: string;
            /**
             * @description What the user may do on the platform.
             * @enum {string}
             */
            role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
            /** @description Whether the account is suspended. */
            suspended: boolean;
            /** @description The user's membership at this moment; null if they never had one. */
            membership: components["schemas"]["identity.Membership"] | null;
        };
        /** @description A user: a person with an account. */
        InvitedUser: {
            /**
             * Format: uuid
             * @description The user's id.
             */
            id: string;
            /** @description The email for log-in. Visible only to the user and the admins of their gym; the email of a SUPER_ADMIN is visible to every logged-in user. */
            email?: string;
            /** @description The name that other users see. */
            displayName: string;
            /** @description A text by the user about themselves; null if there is none. */
            bio: string | null;
            /**
             * @description What the user may do on the platform.
             *     - `MEMBER`: Trains at a gym.
             *     - `GYM_ADMIN`: Manages one gym.
             *     - `SUPER_ADMIN`: Manages the platform.
             * @enum {string}
             */
            role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
            /** @description The gym that the user belongs to; null if there is none. */
            gymId: string | null;
            /** @description The latest membership of a gym. Visible to the user, the staff of the gym and machine clients; null for everybody else, and if the user never had one. */
            membership?: components["schemas"]["identity.Membership"] | null;
            /** @description Whether the user has proved that they read the mails to `email`. Visible only to the user and the admins of their gym. */
            emailVerified?: boolean;
            /** @description Since when the account is suspended, and why; null if it is not. Visible only to admins. */
            suspension?: {
                /**
                 * Format: date-time
                 * @description When the account was suspended.
                 */
                since: string;
                /** @description Why, in the words of the SUPER_ADMIN; null without a reason. */
                reason: string | null;
            } | null;
            /** @description The code that the member shows to check in. Visible only to the user and the admins of their gym. */
            qrCode?: string;
            /** @description Path of the picture, at the server of this request; at the gateway `/identity/avatars/<file>`. Null if there is none. */
            avatar: string | null;
            /** @description BCP 47 language tag, e.g. `de-AT`. */
            locale: string;
            /** @description IANA time zone, e.g. `Europe/Berlin`. */
            timezone: string;
            /**
             * @description The units in which front ends show weights and lengths to the user.
             *     - `METRIC`: Kilograms, centimetres.
             *     - `IMPERIAL`: Pounds, feet and inches.
             * @enum {string}
             */
            units: "METRIC" | "IMPERIAL";
            /** @description Measurements by the user. Visible only to the user; null if not given. */
            body?: {
                /** @description The height in centimetres. */
                heightCm: number | null;
                /** @description The weight in kilograms. */
                weightKg: number | null;
                /**
                 * @description The sex that the user stated.
                 *     - `FEMALE`: Female.
                 *     - `MALE`: Male.
                 *     - `OTHER`: Another sex.
                 */
                sex: ("FEMALE" | "MALE" | "OTHER") | null;
                /** @description The day of birth, YYYY-MM-DD. */
                birthDate: string | null;
            } | null;
            /** @description What the user trains for. Visible only to the user; null if not given. */
            trainingGoals?: {
                /** @description The goals in the user's own words, at most 10. */
                goals: string[];
                /** @description How active the user is, in their own words; null if not given. */
                activity: string | null;
            } | null;
            /** @description Increases with every change. */
            version: number;
            /**
             * Format: date-time
             * @description The time at which the account was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time of the last change of the account.
             */
            updatedAt: string;
            /**
             * Format: uuid
             * @description Equal to `id`: an invitation is an account without a password.
             */
            userId: string;
            /** @description Null: the mail is sent afterwards. */
            sentAt: string | null;
            /** @description Null before the mail is sent. */
            expiresAt: string | null;
        };
        /** @description An account that was created for a user who has not set a password yet, or an invitation of a user who has an account without a gym. */
        Invitation: {
            /**
             * Format: uuid
             * @description The id of the invited user, because an invitation is an account without a password. If the user had an account already, an id of the invitation: who has the account is known when they have joined.
             */
            id: string;
            /**
             * Format: uuid
             * @description Equal to `id`.
             */
            userId: string;
            /** @description The address to which the mail is sent, and with which the user logs in later. */
            email: string;
            /** @description The name that other users see. */
            displayName: string;
            /**
             * @description The role that the user has once they accept the invitation.
             *     - `MEMBER`: Trains at a gym.
             *     - `GYM_ADMIN`: Manages one gym.
             *     - `SUPER_ADMIN`: Manages the platform.
             * @enum {string}
             */
            role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
            /** @description The gym that the user is invited into; null if there is none. */
            gymId: string | null;
            /**
             * Format: date-time
             * @description The time at which the user was invited.
             */
            createdAt: string;
            /** @description When the latest mail was sent. Null before the first mail is sent, and again 8 days after the latest mail was requested, when its token has expired. */
            sentAt: string | null;
            /** @description When the token of the latest mail expires, 7 days after the mail. Null if `sentAt` is null. */
            expiresAt: string | null;
        };
        AccountDocument: {
            /**
             * Format: date-time
             * @description The time at which the document was made.
             */
            exportedAt: string;
            /** @description By service, then by kind: lists of records, and for identity the object `user`. A kind without records is an empty list. */
            services: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description A copy of everything that all services store about a user. */
        AccountExport: {
            /**
             * Format: uuid
             * @description The export's id.
             */
            id: string;
            /**
             * Format: date-time
             * @description The time of the request.
             */
            requestedAt: string;
            /** @description The time at which the export was complete; null while a part is PENDING. */
            finishedAt: string | null;
            /**
             * Format: date-time
             * @description The export can be downloaded until this time.
             */
            expiresAt: string;
            /** @description One part for each service. */
            parts: {
                /** @description The service's name: `identity`, `gym`, `wizard`, `nutrition`, `content` or `squad`. */
                service: string;
                /**
                 * @description Whether the service has delivered its part.
                 *     - `PENDING`: The service has not answered yet; it is called until it answers.
                 *     - `DONE`: The part is in the document.
                 * @enum {string}
                 */
                status: "PENDING" | "DONE";
            }[];
            /** @description Path of the JSON document, at the server of this request; download it with your access token. Null until the export is complete. */
            document: string | null;
        };
        /** @description The receipt of a deleted account. */
        AccountDeletion: {
            /**
             * Format: uuid
             * @description The receipt's id. Keep it secret: every caller who knows it may read the receipt.
             */
            id: string;
            /**
             * Format: date-time
             * @description The time at which the user deleted the account.
             */
            requestedAt: string;
            /** @description The time at which every service had done its part; null while a part is PENDING. */
            finishedAt: string | null;
            /** @description What each service did. */
            parts: components["schemas"]["AccountPart"][];
        };
        /** @description What one service did with the data of a deleted account. */
        AccountPart: {
            /** @description The service's name: `identity`, `gym`, `wizard`, `nutrition`, `content` or `squad`. */
            service: string;
            /**
             * @description What has happened to the data.
             *     - `PENDING`: Not done yet; the service is called until it has done it.
             *     - `DELETED`: Nothing about the user is left but their id, which the service stores to refuse later writes about them.
             *     - `ANONYMISED`: Records of the user are left, but without their id and everything else that identifies them; `reason` names the records.
             *     - `RETAINED`: Records with the id of the user are kept; `reason` names them and says why.
             * @enum {string}
             */
            outcome: "PENDING" | "DELETED" | "ANONYMISED" | "RETAINED";
            /** @description Which records are kept, and why; null if none are. */
            reason: string | null;
        };
        /** @description An action on an account, with its actor. */
        AuditEvent: {
            /**
             * Format: uuid
             * @description The record's id.
             */
            id: string;
            /**
             * Format: date-time
             * @description The time of the action.
             */
            at: string;
            /**
             * @description What was done: `LOGGED_IN`, `LOGIN_FAILED`, `LOGIN_LOCKED`, `PASSWORD_CHANGED`, `ROLE_CHANGED`, `GYM_CHANGED`, `PASSWORD_RESET`, `REFRESH_TOKEN_REUSED`, `USER_INVITED`, `INVITATION_SENT_AGAIN`, `INVITATION_WITHDRAWN`, `ACCOUNT_DELETED`, `SIGNING_KEY_ROTATED`, `API_CLIENT_CREATED`, `API_CLIENT_SECRET_ROTATED`, `API_CLIENT_DELETED`.
             * @enum {string}
             */
            action: "LOGGED_IN" | "LOGIN_FAILED" | "LOGIN_LOCKED" | "PASSWORD_CHANGED" | "ROLE_CHANGED" | "GYM_CHANGED" | "MEMBERSHIP_CHANGED" | "EMAIL_VERIFIED" | "ACCOUNT_SUSPENDED" | "SUSPENSION_ENDED" | "PASSWORD_RESET" | "REFRESH_TOKEN_REUSED" | "USER_INVITED" | "INVITATION_SENT_AGAIN" | "INVITATION_WITHDRAWN" | "USERS_IMPORTED" | "ACCOUNT_DELETED" | "SIGNING_KEY_ROTATED" | "API_CLIENT_CREATED" | "API_CLIENT_SECRET_ROTATED" | "API_CLIENT_DELETED";
            /** @description Who did it: `user:<id>`, `service:<name>`, `client:<id>` or `anonymous`. */
            actor: string;
            /** @description The user whose account the action concerned; null if it concerned no account. */
            subjectId: string | null;
            /** @description Names and values, e.g. `{from: "MEMBER", to: "GYM_ADMIN"}`. */
            details: {
                [key: string]: string | null;
            };
        };
        ClientToken: {
            /** @description Access token (JWT), to be sent as `Authorization: Bearer <token>`. */
            access_token: string;
            /**
             * @description Always `Bearer`.
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds. */
            expires_in: number;
            /** @description The scopes of a machine client, separated by spaces. */
            scope?: string;
        };
        /** @description A machine of a gym that uses the platform with rights of its own, e.g. a turnstile. */
        ApiClient: {
            /**
             * Format: uuid
             * @description The `client_id` for `POST /auth/token`.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the gym that the client belongs to.
             */
            gymId: string;
            /** @description The name that the admins of the gym see. */
            name: string;
            /** @description What the client may do: `check-in`, `visits:read`, `occupancy:read`, `members:read`, `members:write`, `content:read`. */
            scopes: ("check-in" | "visits:read" | "occupancy:read" | "members:read" | "members:write" | "content:read" | "webhooks" | "events:read")[];
            /** @description The only location at which the client may act; null if it may at all locations of its gym. */
            locationId: string | null;
            /**
             * Format: date-time
             * @description The time at which the client was created.
             */
            createdAt: string;
            /** @description When the client last got a token; null if it never did. */
            lastUsedAt: string | null;
            /** @description The client gets no token from then on; null if it does not expire. */
            expiresAt: string | null;
        };
        /** @description A machine client with a new secret. */
        ApiClientWithSecret: {
            /**
             * Format: uuid
             * @description The `client_id` for `POST /auth/token`.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the gym that the client belongs to.
             */
            gymId: string;
            /** @description The name that the admins of the gym see. */
            name: string;
            /** @description What the client may do: `check-in`, `visits:read`, `occupancy:read`, `members:read`, `content:read`. */
            scopes: ("check-in" | "visits:read" | "occupancy:read" | "members:read" | "members:write" | "content:read" | "webhooks" | "events:read")[];
            /** @description The only location at which the client may act; null if it may at all locations of its gym. */
            locationId: string | null;
            /**
             * Format: date-time
             * @description The time at which the client was created.
             */
            createdAt: string;
            /** @description When the client last got a token; null if it never did. */
            lastUsedAt: string | null;
            /** @description The client gets no token from then on; null if it does not expire. */
            expiresAt: string | null;
            /** @description The `client_secret`. It is in this answer only. */
            secret: string;
        };
        "identity.EventPage": {
            /** @description The events, the oldest first. */
            events: components["schemas"]["identity.Event"][];
            /** @description `after` of the next request; also if there are no events. */
            next: string;
        };
        "identity.Event": {
            /**
             * Format: uuid
             * @description The same in every feed and every delivery of the event.
             */
            id: string;
            /** @description One of `check_in.opened`, `check_in.closed`, `check_in.undone`, `check_in.denied`, `occupancy.level_changed`, `challenge.ended`, `gym_config.published`, `gym.deployed`, `member.joined`, `member.updated`, `member.removed`, `product.changed`. */
            type: string;
            /** @description Null for something that belongs to all gyms. */
            gymId: string | null;
            /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
            subject: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description The resource after the event, as its GET returns it to a machine client. */
            data: {
                [key: string]: unknown;
            };
        };
        /** @description Work that a service does later, or again and again. A job that has succeeded is not stored; one that has failed for good is kept for 30 days. */
        Job: {
            /** @description Unique in its service. */
            id: string;
            /** @description What the job does, e.g. `mail_password_token`. */
            name: string;
            /**
             * @description Whether it waits, runs or has failed.
             *     - `PENDING`: It waits for its time or its next attempt.
             *     - `RUNNING`: A worker runs it now.
             *     - `FAILED`: Its last attempt failed, and it does not run again by itself.
             * @enum {string}
             */
            status: "PENDING" | "RUNNING" | "FAILED";
            /** @description The attempts so far, with the one that is running. */
            attempts: number;
            /** @description After so many failed attempts it has failed for good. */
            maxAttempts: number;
            /**
             * Format: date-time
             * @description When the job was added.
             */
            createdAt: string;
            /** @description The time of the next attempt, or of the running one before it began; null after the last one. */
            runAt: string | null;
            /** @description Why the last attempt failed; null if none has, or if its process was killed. */
            error: string | null;
            /** @description An object: the part of what the job was given that an operator may see. Secrets and personal data are not in it. */
            payload: {
                [key: string]: unknown;
            };
        };
        MembershipEnd: {
            /**
             * Format: uuid
             * @description The user whose membership has ended.
             */
            userId: string;
            /**
             * Format: uuid
             * @description The gym that the user has left.
             */
            gymId: string;
            /** @description If the user has joined the gym again meanwhile, when the earlier membership ended: what began later stays. Null if they have not. */
            before: string | null;
        };
        /** @description A visit of a member at a location. */
        CheckIn: {
            /**
             * Format: uuid
             * @description The visit's id.
             */
            id: string;
            /** @description The member; null if the account is deleted. */
            userId: string | null;
            /**
             * Format: uuid
             * @description The id of the gym that the location belongs to.
             */
            gymId: string;
            /**
             * Format: uuid
             * @description The location's id.
             */
            locationId: string;
            /**
             * Format: date-time
             * @description The time at which the visit began.
             */
            checkedInAt: string;
            /** @description The time at which the visit ended; null while it is open. */
            checkedOutAt: string | null;
            /** @description The scanning device, as the caller named it; null if they did not. */
            source: string | null;
            /**
             * @description How the member was let in.
             *     - `QR`: The member's code was presented, and the location had room.
             *     - `OVERRIDE`: Staff let the member in although the location was full.
             * @enum {string}
             */
            method: "QR" | "OVERRIDE";
            /** @description Whether the visit was already open before this scan. */
            duplicate: boolean;
        };
        /** @description A denial: a refused check-in. */
        CheckInDenial: {
            /**
             * Format: uuid
             * @description The denial's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The location's id.
             */
            locationId: string;
            /** @description The owner of the code; null if the code had no owner, or if the account is deleted. */
            userId: string | null;
            /** @description The error code of the refusal. */
            reason: string;
            /** @description The user or the machine client that presented the code; null if the account is deleted. */
            presentedBy: string | null;
            /**
             * Format: date-time
             * @description The time of the refusal.
             */
            deniedAt: string;
            /** @description How many denials this entry represents. The first 60 denials of one caller in an hour have one entry each; the last of these entries also counts the following ones, whatever their reason. */
            count: number;
        };
        OccupancyOfLocation: {
            people: number;
            capacity: number;
            percent: number;
            /** @enum {string} */
            level: "OK" | "BUSY" | "FULL";
            /** Format: date-time */
            updatedAt: string;
            /** Format: uuid */
            locationId: string;
        };
        ChallengeOfGym: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            gymId: string;
            title: string;
            /** @enum {string} */
            metric: "CHECK_INS" | "WORKOUTS" | "MINUTES" | "CUSTOM";
            goal: number;
            /** Format: date-time */
            startsAt: string;
            /** Format: date-time */
            endsAt: string;
            version: number;
        };
        /** @description The gym's own branding, and the modules that are on for its members. */
        GymConfig: {
            /** @description The gym's id. */
            gymId: string;
            /** @description `{colors: {primary, ...}, typography, spacing}`. Every text under `colors` is `#rgb`, `#rrggbb` or `#rrggbbaa`, except below keys that begin with `x-`; unknown keys are kept, and no text can end a CSS value. */
            theme: {
                /** @description Colours by their use: `#rgb`, `#rrggbb` or `#rrggbbaa`. */
                colors?: {
                    /** @description The main colour of the gym. */
                    primary?: string;
                    /** @description The second colour of the gym. */
                    secondary?: string;
                    /** @description The colour behind texts. */
                    background?: string;
                    /** @description The colour of texts. */
                    text?: string;
                } & {
                    [key: string]: unknown;
                };
                /** @description Fonts and their sizes. */
                typography?: {
                    /** @description The fonts, as in CSS `font-family`. */
                    fontFamily?: string;
                    /** @description The size of texts in CSS pixels. */
                    baseSize?: number;
                } & {
                    [key: string]: unknown;
                };
                /** @description Distances between parts of a page. */
                spacing?: {
                    /** @description The smallest distance in CSS pixels, of which others are multiples. */
                    unit?: number;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            /** @description Pictures by use: `{logo, splash, icon, ...}`; unknown keys are kept. Every text is an http(s) URL or a path. */
            assets: {
                /** @description The address of the logo. */
                logo?: string;
                /** @description The address of the picture that an app shows while it starts. */
                splash?: string;
                /** @description The address of the app's icon. */
                icon?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description Modules by name, `{nutrition: true, ...}`; a module without a switch is on. A module that is off is refused to the gym's members with `FEATURE_DISABLED`. */
            features: {
                [key: string]: boolean;
            };
            /** @description Increases with every change. */
            version: number;
            /**
             * Format: date-time
             * @description The time at which this version was published.
             */
            updatedAt: string;
        };
        /** @description A white-labelled gym. */
        Gym: {
            /** @description The gym's id. */
            id: string;
            /** @description Short name for URLs: lower-case letters, digits and hyphens; unique. */
            slug: string;
            /** @description The name that users see. */
            name: string;
            /** @description IANA time zone of the gym itself, e.g. `Europe/Berlin`; each location has its own. */
            timezone: string;
            /**
             * @description Who may join the gym without its staff.
             *     - `OPEN`: Everybody.
             *     - `VERIFIED_EMAIL`: Everybody, once they have verified their email.
             *     - `APPROVAL`: Everybody whom the staff have admitted.
             *     - `INVITE`: Only people whom the staff have invited.
             * @enum {string}
             */
            joinPolicy: "OPEN" | "VERIFIED_EMAIL" | "APPROVAL" | "INVITE";
            /** @description False: nobody joins or checks in, and nothing is added; what is stored can be read. */
            active: boolean;
            /** @description Increases with every change of name, time zone, policy and activity. The configuration has a version of its own. */
            version: number;
            /** @description The published configuration: branding, and which modules are on. */
            config: components["schemas"]["GymConfig"];
        };
        /** @description A product of the content service in a gym's shop. */
        GymProduct: {
            /**
             * Format: uuid
             * @description The id of the gym that sells the product.
             */
            gymId: string;
            /**
             * Format: uuid
             * @description A product of the content service.
             */
            productId: string;
            /** @description The gym's own price in minor units of `currency`; null: the product's own price. */
            price: number | null;
            /** @description The currency of `price`, ISO 4217, e.g. `EUR`; null if the gym has stated none. */
            currency: string | null;
            /** @description The number of pieces that the gym has; null if the gym does not count its stock. */
            stock: number | null;
        };
        /** @description The next configuration, which is not published yet. */
        GymConfigDraft: {
            /** @description The gym's id. */
            gymId: string;
            /** @description The theme as it will be after publication; see `GymConfig.theme`. */
            theme: {
                /** @description Colours by their use: `#rgb`, `#rrggbb` or `#rrggbbaa`. */
                colors?: {
                    /** @description The main colour of the gym. */
                    primary?: string;
                    /** @description The second colour of the gym. */
                    secondary?: string;
                    /** @description The colour behind texts. */
                    background?: string;
                    /** @description The colour of texts. */
                    text?: string;
                } & {
                    [key: string]: unknown;
                };
                /** @description Fonts and their sizes. */
                typography?: {
                    /** @description The fonts, as in CSS `font-family`. */
                    fontFamily?: string;
                    /** @description The size of texts in CSS pixels. */
                    baseSize?: number;
                } & {
                    [key: string]: unknown;
                };
                /** @description Distances between parts of a page. */
                spacing?: {
                    /** @description The smallest distance in CSS pixels, of which others are multiples. */
                    unit?: number;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            /** @description The assets as they will be after publication; see `GymConfig.assets`. */
            assets: {
                /** @description The address of the logo. */
                logo?: string;
                /** @description The address of the picture that an app shows while it starts. */
                splash?: string;
                /** @description The address of the app's icon. */
                icon?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description The feature switches as they will be after publication; see `GymConfig.features`. */
            features: {
                [key: string]: boolean;
            };
            /** @description The published version on which the draft is based. */
            basedOnVersion: number;
            /** @description Increases with every change, across all drafts of the gym. */
            version: number;
            /**
             * Format: date-time
             * @description The time of the last change of the draft.
             */
            updatedAt: string;
        };
        /** @description A physical site of a gym, where members check in. */
        LocationWithOccupancy: {
            /**
             * Format: uuid
             * @description The location's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the gym that the location belongs to.
             */
            gymId: string;
            /** @description The name that users see. */
            name: string;
            /** @description The postal address, as the staff entered it; null if it is unknown. */
            address: string | null;
            /** @description IANA time zone, e.g. `Europe/Berlin`. */
            timezone: string;
            /** @description How many people may be inside at once. */
            capacity: number;
            /** @description A visit ends automatically after this many minutes. */
            maxStayMinutes: number;
            /** @description Local times by day, `{"mon": {"opens": "06:30", "closes": "22:00"}}`; a day without times is closed. Null if they are unknown. */
            openingHours: {
                [key: string]: {
                    /** @description Local time, HH:MM. */
                    opens: string;
                    /** @description Local time, HH:MM; `24:00` is midnight. */
                    closes: string;
                };
            } | null;
            /** @description Increases with every change. */
            version: number;
            /** @description How many members have an open visit now. */
            occupancy: components["schemas"]["Occupancy"];
        };
        /** @description The number of members with an open visit at a location. */
        Occupancy: {
            /** @description The number of members with an open visit. */
            people: number;
            /** @description How many people may be inside at once. */
            capacity: number;
            /** @description How full the location is: `people` of `capacity` in percent, rounded. */
            percent: number;
            /**
             * @description How full the location is.
             *     - `OK`: Below 80 percent.
             *     - `BUSY`: From 80 percent.
             *     - `FULL`: No more members are let in.
             * @enum {string}
             */
            level: "OK" | "BUSY" | "FULL";
            /**
             * Format: date-time
             * @description When the number of people last changed.
             */
            updatedAt: string;
        };
        /** @description One hour of a location's occupancy. */
        OccupancySample: {
            /**
             * Format: date-time
             * @description The beginning of the hour.
             */
            from: string;
            /** @description The highest number of people who were inside at the same time. */
            peak: number;
            /** @description Check-ins in this hour. */
            checkIns: number;
        };
        /** @description A visit of a member at a location. */
        CheckedIn: {
            /**
             * Format: uuid
             * @description The visit's id.
             */
            id: string;
            /** @description The member; null if the account is deleted. */
            userId: string | null;
            /**
             * Format: uuid
             * @description The id of the gym that the location belongs to.
             */
            gymId: string;
            /**
             * Format: uuid
             * @description The location's id.
             */
            locationId: string;
            /**
             * Format: date-time
             * @description The time at which the visit began.
             */
            checkedInAt: string;
            /** @description The time at which the visit ended; null while it is open. */
            checkedOutAt: string | null;
            /** @description The scanning device, as the caller named it; null if they did not. */
            source: string | null;
            /**
             * @description How the member was let in.
             *     - `QR`: The member's code was presented, and the location had room.
             *     - `OVERRIDE`: Staff let the member in although the location was full.
             * @enum {string}
             */
            method: "QR" | "OVERRIDE";
            /** @description Whether the visit was already open before this scan. */
            duplicate: boolean;
            /** @description Only for staff and machine clients: the member who was checked in. */
            member?: components["schemas"]["MemberAtTheDoor"];
        };
        MemberAtTheDoor: {
            /**
             * Format: uuid
             * @description The member's id.
             */
            id: string;
            /** @description The name that other users see. */
            displayName: string;
            /** @description Path of the picture at the gateway, `/identity/avatars/<file>`; null if there is none. */
            avatar: string | null;
            /** @description The member's membership; null for staff without one. Its `reason` is shown to staff only. */
            membership: components["schemas"]["gym.Membership"] | null;
        };
        "gym.Membership": {
            /**
             * Format: uuid
             * @description The gym of the membership.
             */
            gymId: string;
            /**
             * @description Only a member whose membership is ACTIVE may check in and book.
             * @enum {string}
             */
            status: "PENDING" | "ACTIVE" | "FROZEN" | "ENDED";
            /**
             * Format: date-time
             * @description When the membership got this status.
             */
            since: string;
            /** @description When an ACTIVE membership ends, or a FROZEN one becomes ACTIVE again; null if that is open. */
            until: string | null;
            /** @description Why staff changed the membership, in their words. */
            reason: string | null;
        };
        /** @description A competition among the members of a gym, with a score for each participant. */
        Challenge: {
            /**
             * Format: uuid
             * @description The challenge's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the gym whose users may join.
             */
            gymId: string;
            /** @description The title that users see. */
            title: string;
            /**
             * @description What the score counts.
             *     - `CHECK_INS`: Visits during the challenge; counted automatically.
             *     - `WORKOUTS`: Workouts; the participants add to their own scores.
             *     - `MINUTES`: Minutes of training; the participants add to their own scores.
             *     - `CUSTOM`: What the title of the challenge says; the participants add to their own scores.
             * @enum {string}
             */
            metric: "CHECK_INS" | "WORKOUTS" | "MINUTES" | "CUSTOM";
            /** @description The score that the participants try to reach. A score may be higher. */
            goal: number;
            /**
             * Format: date-time
             * @description The beginning of the challenge.
             */
            startsAt: string;
            /**
             * Format: date-time
             * @description The end of the challenge; what happens later does not count.
             */
            endsAt: string;
            /** @description Increases when the challenge changes, not with scores. */
            version: number;
            /** @description Whether you have joined. */
            joined: boolean;
            /** @description Your score; null if you have not joined. */
            score: number | null;
        };
        /** @description A participant of a challenge, with their rank and score. */
        LeaderboardEntry: {
            /** @description The best participant has rank 1. */
            rank: number;
            /**
             * Format: uuid
             * @description The participant's id.
             */
            userId: string;
            /** @description The participant's score. */
            score: number;
            /**
             * Format: date-time
             * @description When the score was reached.
             */
            reachedAt: string;
        };
        /** @description News of a gym for its users. */
        Announcement: {
            /**
             * Format: uuid
             * @description The announcement's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the gym whose users may read it.
             */
            gymId: string;
            /** @description The user who published it; null once the account is deleted. */
            authorId: string | null;
            /** @description The title that users see. */
            title: string;
            /** @description The text that users see. */
            text: string;
            /** @description Increases with every change. */
            version: number;
            /**
             * Format: date-time
             * @description The time from which the announcement is valid.
             */
            startsAt: string;
            /** @description The time until which the announcement is valid; null: until it is deleted. */
            endsAt: string | null;
            /**
             * Format: date-time
             * @description The time at which the announcement was created.
             */
            createdAt: string;
        };
        /** @description A text of a member for their gym, with or without a picture. The feed of the gym contains it. */
        Post: {
            /**
             * Format: uuid
             * @description The post's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the gym whose users may read the post.
             */
            gymId: string;
            /** @description Null once the account is deleted; `text` is empty then. */
            authorId: string | null;
            /** @description Empty once the account of its author is deleted. */
            text: string;
            /** @description Path of the picture, at the server of this request; at the gateway `/gym/media/<file>`. Null if there is none. */
            image: string | null;
            /** @description The number of users who like the post. */
            likeCount: number;
            /** @description The number of comments on the post. */
            commentCount: number;
            /** @description Whether you like the post. */
            likedByMe: boolean;
            /** @description Increases when the text or the picture changes, not with likes and comments. */
            version: number;
            /**
             * Format: date-time
             * @description The time at which the post was written.
             */
            createdAt: string;
        };
        /** @description A member's report that a post should be removed. */
        PostReport: {
            /**
             * Format: uuid
             * @description The id of the reported post.
             */
            postId: string;
            /**
             * Format: uuid
             * @description The user who reported the post.
             */
            reporterId: string;
            /** @description Why the post should be removed, in the words of the reporter. */
            reason: string;
            /**
             * Format: date-time
             * @description The time of the user's latest report of this post.
             */
            createdAt: string;
        };
        /** @description A comment of a user on a post. */
        Comment: {
            /**
             * Format: uuid
             * @description The comment's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The post's id.
             */
            postId: string;
            /**
             * Format: uuid
             * @description The user who wrote the comment.
             */
            authorId: string;
            /** @description The text of the comment. */
            text: string;
            /**
             * Format: date-time
             * @description The time at which the comment was written.
             */
            createdAt: string;
        };
        /** @description A routine of the content service in a gym's programme. */
        GymProgram: {
            /**
             * Format: uuid
             * @description The id of the gym that recommends the routine.
             */
            gymId: string;
            /**
             * Format: uuid
             * @description A workout routine of the content service.
             */
            routineId: string;
            /** @description A note of the gym on the routine; null if there is none. */
            note: string | null;
        };
        /** @description Events, and the cursor after them. */
        "gym.EventPage": {
            /** @description The events, the oldest first. */
            events: components["schemas"]["gym.Event"][];
            /** @description `after` of the next query; also if there are no events. */
            next: string;
        };
        /** @description Something that happened in a gym, as machine clients and webhooks get it. */
        "gym.Event": {
            /**
             * Format: uuid
             * @description The same in every feed and every delivery of the event.
             */
            id: string;
            /** @description `check_in.opened`, `check_in.closed`, `check_in.undone`, `check_in.denied`, `occupancy.level_changed`, `challenge.ended`, `gym_config.published`, `gym.deployed`, `member.joined`, `member.updated`, `member.removed` or `product.changed`. */
            type: string;
            /** @description Null for something that belongs to all gyms. */
            gymId: string | null;
            /** @description What the event is about, `<type>/<id>`, such as `check-in/0199...`. The events of one subject are in the order in which they happened. */
            subject: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description The resource after the event, as its GET returns it to a machine client. */
            data: {
                [key: string]: unknown;
            };
        };
        /** @description An address to which events are sent by the Standard Webhooks specification. */
        Webhook: {
            /**
             * Format: uuid
             * @description The webhook's id.
             */
            id: string;
            /** @description Null: the events of all gyms. */
            gymId: string | null;
            /** @description The address to which events are sent. */
            url: string;
            /** @description The types of events that are sent. */
            types: string[];
            /** @description A note for people, such as the name of the receiving system; null if there is none. */
            description: string | null;
            /** @description Whether events are sent. */
            active: boolean;
            /** @description Why the platform has switched the webhook off; null if it has not. */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description When the webhook was created.
             */
            createdAt: string;
            /** @description Increases with every change. */
            version: number;
        };
        /** @description A webhook with its secret, which is in no other answer. */
        WebhookWithSecret: {
            /**
             * Format: uuid
             * @description The webhook's id.
             */
            id: string;
            /** @description Null: the events of all gyms. */
            gymId: string | null;
            /** @description The address to which events are sent. */
            url: string;
            /** @description The types of events that are sent. */
            types: string[];
            /** @description A note for people, such as the name of the receiving system; null if there is none. */
            description: string | null;
            /** @description Whether events are sent. */
            active: boolean;
            /** @description Why the platform has switched the webhook off; null if it has not. */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description When the webhook was created.
             */
            createdAt: string;
            /** @description Increases with every change. */
            version: number;
            /** @description It signs the deliveries, `whsec_...`. */
            secret: string;
        };
        /** @description One event for one webhook. */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The delivery's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The `webhook-id` of the requests.
             */
            eventId: string;
            /** @description The type of the event. */
            type: string;
            /**
             * @description Whether the event was received.
             *     - `PENDING`: It is sent at `nextAttemptAt`.
             *     - `DELIVERED`: The receiver answered with a status from 200 to 299.
             *     - `FAILED`: It is not sent any more.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "FAILED";
            /** @description The latest 20 attempts, the oldest first. */
            attempts: {
                /**
                 * Format: date-time
                 * @description When the request was sent.
                 */
                at: string;
                /** @description Null if there was no answer. */
                statusCode: number | null;
                /** @description How long the request took. */
                durationMillis: number;
                /** @description The beginning of the answer's body, at most 1 KiB. */
                answer: string | null;
                /** @description Why the attempt failed; null if the event was received. */
                error: string | null;
            }[];
            /** @description When it is sent next; null unless the status is PENDING. */
            nextAttemptAt: string | null;
        };
        WebhookReplay: {
            /** @description The number of events that are sent again. */
            deliveries: number;
        };
        AccountRecords: {
            /** @description The records of the page, one kind after the other. */
            records: {
                /** @description Records of one kind follow each other. */
                kind: string;
                /** @description The record; its keys depend on the kind. */
                record: {
                    [key: string]: unknown;
                };
            }[];
            /** @description All kinds of records, in the order in which they are exported. */
            kinds: string[];
            /** @description `cursor` of the next page; null after the last one. */
            next: string | null;
        };
        AccountVerdict: {
            /**
             * @description What has happened to the data. DELETED: nothing about the user is left but their id. ANONYMISED: records are left without the id and everything else that identifies the user. RETAINED: records with the id of the user are kept.
             * @enum {string}
             */
            outcome: "DELETED" | "ANONYMISED" | "RETAINED";
            /** @description Which records are kept, and why; null if none are. */
            reason: string | null;
        };
        /** @description Whether a value of a resource is available. */
        Availability: {
            /**
             * @description What the value is: `gym-name`, `gym-slug`, `email` or `slot`.
             * @enum {string}
             */
            resource: "gym-name" | "gym-slug" | "slot" | "email";
            /** @description The checked value. */
            value: string;
            /** @description Whether the value is available; true also if it was reserved by this request. */
            available: boolean;
            /**
             * @description Why the value is not available: `INVALID` (breaks a rule), `TAKEN` (belongs to an account or a gym), `RESERVED` (by another session, for a limited time); for a slot also `FULL`, `CLOSED`, `PAST`, `TOO_FAR` (more than 90 days ahead), `BOOKED` (the member has another first visit), `UNKNOWN_LOCATION`. Only if it is not available.
             * @enum {string}
             */
            reason?: "INVALID" | "TAKEN" | "RESERVED" | "FULL" | "CLOSED" | "PAST" | "TOO_FAR" | "BOOKED" | "UNKNOWN_LOCATION";
            /** @description Similar values that are available; at most three. */
            suggestions: string[];
            /**
             * Format: date-time
             * @description The end of the reservation. Only if this request has reserved the value for the session.
             */
            reservedUntil?: string;
        };
        /** @description The first visit of a new member to a gym. */
        FirstVisit: {
            /**
             * Format: uuid
             * @description The id of the wizard session.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the new member.
             */
            userId: string;
            /**
             * Format: uuid
             * @description The location's id.
             */
            locationId: string;
            /**
             * Format: date-time
             * @description The beginning of the reserved slot.
             */
            startsAt: string;
            /**
             * Format: date-time
             * @description The end of the reserved slot, half an hour later.
             */
            endsAt: string;
        };
        /** @description One run of a wizard: the data of its steps so far. */
        WizardSession: {
            /**
             * Format: uuid
             * @description The session's id.
             */
            id: string;
            /**
             * @description What the session sets up.
             *     - `GYM_SETUP`: A new gym: name, branding, locations, features, first admin.
             *     - `MEMBER_ONBOARDING`: A new member: profile, body, goals, nutrition target, first visit.
             * @enum {string}
             */
            kind: "GYM_SETUP" | "MEMBER_ONBOARDING";
            /**
             * @description The state of the session.
             *     - `DRAFT`: Steps are missing.
             *     - `READY`: Every step is complete or skipped; the session can be deployed.
             *     - `DEPLOYING`: The data of the session is being written to the other services; see `deployment`.
             *     - `DEPLOYED`: The other services have the data of the session.
             *     - `FAILED`: A service refused an action, and everything was undone; the session can be corrected and deployed again. If an action could not be undone (`deployment.status` UNDO_FAILED), a SUPER_ADMIN must resolve that first.
             *     - `CANCELLED`: The session was cancelled; it can no longer be changed.
             *     - `EXPIRED`: The time `expiresAt` has passed; the session can be read, but not changed.
             * @enum {string}
             */
            status: "DRAFT" | "READY" | "DEPLOYING" | "DEPLOYED" | "FAILED" | "CANCELLED" | "EXPIRED";
            /** @description The version of the wizard's definition that applies to the session. */
            definitionVersion: number;
            /** @description Key of the current step. */
            currentStep: string;
            /** @description The steps in their order. */
            steps: components["schemas"]["WizardStep"][];
            /** @description The files that were uploaded into the steps. */
            files: components["schemas"]["WizardFile"][];
            /** @description Increases with every change. */
            version: number;
            /** @description The user who created or claimed the session; null while it has no account. */
            createdBy: string | null;
            /** @description For MEMBER_ONBOARDING the gym of the owner; for GYM_SETUP the gym, once it is created. Null if there is none. */
            gymId: string | null;
            /**
             * Format: date-time
             * @description An open session expires at this time: 30 days after it was created or claimed, or 7 days after it was created without an account. A session that a SUPER_ADMIN must resolve does not expire.
             */
            expiresAt: string;
            /** @description The last deployment; null if there was none. */
            deployment: components["schemas"]["WizardDeployment"] | null;
            /** @description The secret that opens the session without an account. Only in the answer that creates such a session. */
            resumeToken?: string;
        };
        /** @description One page of a wizard. */
        WizardStep: {
            /** @description The name of the step, unique in the session, e.g. `profile`. */
            key: string;
            /** @description The title that users see. */
            title: string;
            /**
             * @description The state of the step.
             *     - `EMPTY`: No data is saved in the step yet.
             *     - `INCOMPLETE`: Some data is saved; `errors` and `currentlyDue` say what is wrong or missing.
             *     - `COMPLETE`: All required data is saved and valid.
             *     - `SKIPPED`: The step does not apply, because of a value in an earlier step.
             * @enum {string}
             */
            status: "EMPTY" | "INCOMPLETE" | "COMPLETE" | "SKIPPED";
            /** @description The saved data of the step: an object whose keys depend on the step. */
            data: {
                [key: string]: unknown;
            };
            /** @description The invalid fields. */
            errors: {
                /** @description Dotted path, e.g. `locations.0.capacity`. */
                path: string;
                /** @description What was expected. */
                message: string;
            }[];
            /** @description Dotted paths of the missing fields. */
            currentlyDue: string[];
        };
        /** @description A picture or a document that belongs to a step. */
        WizardFile: {
            /**
             * Format: uuid
             * @description The file's id.
             */
            id: string;
            /** @description Key of the step that the file belongs to. */
            step: string;
            /** @description The file field of the step, e.g. `logo`. */
            field: string;
            /** @description The name of the uploaded file. */
            filename: string;
            /**
             * @description The media type of the stored file: `image/webp` or `application/pdf`.
             * @enum {string}
             */
            contentType: "image/webp" | "application/pdf";
            /** @description The size of the stored file in bytes. */
            bytes: number;
            /**
             * Format: date-time
             * @description The time of the upload.
             */
            uploadedAt: string;
            /**
             * Format: uri
             * @description The URL of the file: for callers who may open the session; pictures of a deployed gym are public.
             */
            url: string;
        };
        /** @description The writes of a session's data to the other services: either all of them are completed, or all of them are undone. If an action cannot be undone, the deployment waits for a SUPER_ADMIN. */
        WizardDeployment: {
            /**
             * @description The state of the deployment.
             *     - `RUNNING`: The actions are being done.
             *     - `UNDOING`: An action was refused; the completed ones are being undone.
             *     - `DONE`: All actions are done.
             *     - `UNDONE`: All actions that were done are undone, except those that a SUPER_ADMIN left in place.
             *     - `UNDO_FAILED`: An action could not be undone; the deployment waits until a SUPER_ADMIN resolves it (`resolveDeployment`).
             * @enum {string}
             */
            status: "RUNNING" | "UNDOING" | "DONE" | "UNDONE" | "UNDO_FAILED";
            /**
             * Format: date-time
             * @description The time at which the deployment began.
             */
            startedAt: string;
            /** @description The time at which all actions were done, or undone; null before. */
            finishedAt: string | null;
            /** @description The actions in the order in which they run. */
            actions: {
                /** @description The name of the action, unique in the deployment. */
                name: string;
                /** @description The service that the action calls. */
                service: string;
                /**
                 * @description The state of the action.
                 *     - `PENDING`: The action is not done yet.
                 *     - `DONE`: The action is done.
                 *     - `FAILED`: The service refused the action.
                 *     - `UNDONE`: The action was done, or may have been done, and was undone.
                 * @enum {string}
                 */
                status: "PENDING" | "DONE" | "FAILED" | "UNDONE";
                /** @description How many attempts to do the action have begun. */
                attempts: number;
                /** @description Why the last attempt failed; for an action that was done, why it could not be undone. Only after such a failure. */
                error?: {
                    /** @description A code of the platform's table of errors. */
                    code: string;
                    /** @description What was expected, and what was received. */
                    message: string;
                };
                /** @description Why the last attempt to undo the action failed. Only after such a failure. */
                undoError?: {
                    /** @description A code of the platform's table of errors. */
                    code: string;
                    /** @description What was expected, and what was received. */
                    message: string;
                };
                /** @description The result of the action, an object whose keys depend on the action; null if there is none. */
                result: unknown;
            }[];
            /** @description Once DONE: the ids of the created objects, `{gymId, slug, locationIds, adminId}` or `{userId, slot: {locationId, startsAt}}`. */
            result: {
                [key: string]: unknown;
            } | null;
            /** @description The last decision about a deployment that could not be undone; null if there is none. */
            resolution: components["schemas"]["WizardResolution"] | null;
        };
        /** @description The decision of a SUPER_ADMIN about a deployment that could not be undone. */
        WizardResolution: {
            /**
             * @description What the SUPER_ADMIN decided.
             *     - `RETRY`: Tries again to undo the remaining actions.
             *     - `ACCEPT`: Leaves the remaining effects in place; the deployment counts as UNDONE.
             * @enum {string}
             */
            action: "RETRY" | "ACCEPT";
            /** @description The reason, in the words of the SUPER_ADMIN. */
            note: string;
            /** @description The SUPER_ADMIN who decided; null once their account is deleted. */
            by: string | null;
            /**
             * Format: date-time
             * @description The time of the decision.
             */
            at: string;
        };
        /** @description An estimate of a meal. */
        FoodAnalysis: {
            /** @description The recognised foods, in the order of the text. */
            items: components["schemas"]["AnalysisItem"][];
            /** @description The sums of the items. */
            total: components["schemas"]["Nutrients"];
            /** @description Confidence of the total, 0 to 1: its true calories are expected within (1 - confidence) of the number. At 0.8 and above, this is right for at least four of five meals of the calibration set. */
            confidence: number;
            /** @description Questions whose answers would improve the estimate: about assumed portions, weights above a usual meal, ambiguous numbers, corrected words. */
            questions: string[];
            /** @description Parts of the text that were not understood, as written, and implausible items of an AI provider. They are in no item and not in the total. */
            unknown: string[];
            /** @description What has estimated the meal: `food-table`, or the AI provider, e.g. `gemini`; `gemini+food-table` if the table added or corrected nutrients. */
            provider: string;
        };
        /** @description One food of an analysed meal. */
        AnalysisItem: {
            /** @description The name of the food, in the language of the request if there is such a name. */
            name: string;
            /** @description The weight in grams. */
            grams: number;
            /** @description Energy in kcal. */
            calories: number;
            /** @description Protein in g. */
            protein: number;
            /** @description Carbohydrates in g. */
            carbs: number;
            /** @description Fat in g. */
            fats: number;
            /** @description How certain the estimate is, 0 to 1: the true value is expected within (1 - confidence) of the number. */
            confidence: number;
            /** @description True in every item: food that was not recognised is no item, but in `unknown` of the analysis. */
            known: boolean;
        };
        /** @description Energy in kcal, the others in grams. */
        Nutrients: {
            /** @description Energy in kcal. */
            calories: number;
            /** @description Protein in g. */
            protein: number;
            /** @description Carbohydrates in g. */
            carbs: number;
            /** @description Fat in g. */
            fats: number;
        };
        /** @description The progress, or the result, of an import of a CSV file. */
        FoodLogImport: {
            /**
             * Format: uuid
             * @description The import's id.
             */
            id: string;
            /**
             * @description Whether the import is still running.
             *     - `RUNNING`: The file is being read.
             *     - `DONE`: The whole file was read.
             *     - `FAILED`: The import did not reach the end of the file. Imported lines stay; send the same file again for the rest.
             * @enum {string}
             */
            status: "RUNNING" | "DONE" | "FAILED";
            /** @description Lines read so far, without the header and empty lines: the sum of `imported`, `duplicates` and `failed`. A text in quotes with line breaks counts as one line. */
            lines: number;
            /** @description Lines of which an entry was written. */
            imported: number;
            /** @description Lines that were imported before. */
            duplicates: number;
            /** @description Lines with errors, which were not imported. */
            failed: number;
            /** @description The first 1,000 errors of lines. */
            errors: components["schemas"]["ImportError"][];
            /** @description The number of further errors. */
            errorsOmitted: number;
            /** @description How the file was read; null until it is decided. */
            format: components["schemas"]["CsvFormat"] | null;
            /**
             * Format: date-time
             * @description The time at which the import began.
             */
            startedAt: string;
            /** @description The time at which the import ended; null while it is running. */
            finishedAt: string | null;
        };
        /** @description An error in a line of a CSV file. */
        ImportError: {
            /** @description Line of the file; the first line is 1. */
            line: number;
            /** @description The title of the column in the file; null: the whole line. */
            column: string | null;
            /** @description What was expected, and what was received. */
            message: string;
        };
        /** @description How the file was read. */
        CsvFormat: {
            /**
             * @description How the characters are stored.
             *     - `UTF_8`: UTF-8, with or without a byte order mark.
             *     - `UTF_16LE`: UTF-16, little-endian.
             *     - `UTF_16BE`: UTF-16, big-endian.
             *     - `WINDOWS_1252`: Windows code page 1252, of Western European spreadsheets.
             * @enum {string}
             */
            encoding: "UTF_8" | "UTF_16LE" | "UTF_16BE" | "WINDOWS_1252";
            /**
             * @description The character between two columns.
             *     - `COMMA`: The character `,`.
             *     - `SEMICOLON`: The character `;`.
             *     - `TAB`: A tab character.
             * @enum {string}
             */
            delimiter: "COMMA" | "SEMICOLON" | "TAB";
            /**
             * @description The decimal sign of numbers.
             *     - `POINT`: A point: 1.5 and 1,234.5.
             *     - `COMMA`: A comma: 1,5 and 1.234,5.
             * @enum {string}
             */
            decimal: "POINT" | "COMMA";
            /**
             * @description The order of day and month in dates such as 03/04/2026. Null: no date of the file depends on it.
             *     - `DMY`: The day comes first: 3/4/2026 is 3 April.
             *     - `MDY`: The month comes first: 3/4/2026 is 4 March.
             */
            dateOrder: ("DMY" | "MDY") | null;
        };
        /** @description Something that was eaten. Only its owner sees it; no admin does. */
        FoodLog: {
            /**
             * Format: uuid
             * @description The entry's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The id of the user who ate it.
             */
            userId: string;
            /** @description The food of the entry; null: the entry has none, or it was deleted. */
            foodId: string | null;
            /** @description The name of what was eaten, as it was when the entry was written. */
            foodName: string;
            /** @description Energy in kcal. */
            calories: number;
            /** @description Protein in g. */
            protein: number;
            /** @description Carbohydrates in g. */
            carbs: number;
            /** @description Fat in g. */
            fats: number;
            /** @description Number of `unit`; null if the entry has none. */
            quantity: number | null;
            /** @description The unit of `quantity`, e.g. `cup`, `slice`, `g`; null if the entry has none. */
            unit: string | null;
            /** @description The weight in grams; null if it is unknown. */
            grams: number | null;
            /**
             * @description The meal that the entry belongs to; null if the user has not stated it.
             *     - `BREAKFAST`: Breakfast.
             *     - `LUNCH`: Lunch.
             *     - `DINNER`: Dinner.
             *     - `SNACK`: Anything between the meals.
             */
            mealType: ("BREAKFAST" | "LUNCH" | "DINNER" | "SNACK") | null;
            /**
             * @description The origin of the entry.
             *     - `MANUAL`: The user has entered it.
             *     - `AI`: An analysis by the AI provider, which the user confirmed.
             *     - `FOOD_TABLE`: An estimate by the food table, which the user confirmed.
             *     - `COPY`: A copy of another entry.
             *     - `IMPORT`: A line of an imported CSV file.
             * @enum {string}
             */
            source: "MANUAL" | "AI" | "FOOD_TABLE" | "COPY" | "IMPORT";
            /**
             * Format: date-time
             * @description When it was eaten.
             */
            loggedAt: string;
            /**
             * Format: date
             * @description The day that the entry counts for, in the user's time zone when they logged it.
             */
            localDate: string;
            /**
             * Format: date-time
             * @description The time at which the entry was written.
             */
            createdAt: string;
            /** @description Starts at 1 and increases with every change. */
            version: number;
        };
        /** @description The entries of a confirmed meal. */
        LoggedMeal: {
            /** @description The new entries, in the order of the input. */
            entries: components["schemas"]["FoodLog"][];
            /** @description The sums of the entries. */
            totals: components["schemas"]["Nutrients"];
        };
        /** @description With neither weekday nor date, it is the default goal. */
        NutritionGoal: {
            /** @description Energy in kcal per day. */
            calories: number;
            /** @description Protein in g per day. Null: no goal. */
            protein: number | null;
            /** @description Carbohydrates in g per day. Null: no goal. */
            carbs: number | null;
            /** @description Fat in g per day. Null: no goal. */
            fats: number | null;
            /** @description The weekday of the goal: 1 (Monday) to 7 (Sunday). Null: it is the default or for a date. */
            weekday: number | null;
            /** @description The only day of the goal; null: it is the default or for a weekday. */
            date: string | null;
            /** @description First day of the goal; null for the goal of a date. */
            from: string | null;
            /** @description Last day of the goal, because the next one follows or it was deleted; null: it has no end. */
            until: string | null;
            /** @description Starts at 1 and increases with every change. */
            version: number;
        };
        DailyNutrition: {
            /**
             * Format: date
             * @description First day.
             */
            from: string;
            /**
             * Format: date
             * @description Last day, included.
             */
            to: string;
            /** @description Every day of the range in its order, also days without entries. */
            days: components["schemas"]["NutritionDay"][];
            /** @description Averages over the days with entries. */
            averages: components["schemas"]["Nutrients"];
            /** @description Number of days with entries. */
            loggedDays: number;
        };
        /** @description The entries of one day, with their sums and the goal of the day. */
        NutritionDay: {
            /**
             * Format: date
             * @description The local day.
             */
            date: string;
            /** @description The sums of its entries. */
            totals: components["schemas"]["Nutrients"];
            /** @description The goal of the date, else of its weekday, else the default; null if there is none. */
            goal: components["schemas"]["NutritionGoal"] | null;
            /** @description Goal minus totals; null if there is no goal. */
            remaining: components["schemas"]["Remaining"] | null;
            /** @description The entries of the day, in the order in which they were eaten. */
            entries: components["schemas"]["FoodLog"][];
        };
        /** @description Goal minus totals. Negative if more was eaten; null if there is no goal for the nutrient. */
        Remaining: {
            /** @description Energy in kcal. */
            calories: number;
            /** @description Protein in g. Null: no goal. */
            protein: number | null;
            /** @description Carbohydrates in g. Null: no goal. */
            carbs: number | null;
            /** @description Fat in g. Null: no goal. */
            fats: number | null;
        };
        /** @description The sums and averages of a day, week or month. */
        NutritionPoint: {
            /**
             * Format: date
             * @description First day of the bucket, or of the range if that is later.
             */
            start: string;
            /**
             * Format: date
             * @description Last day of the bucket, or of the range if that is earlier.
             */
            end: string;
            /** @description The sums of the entries. */
            totals: components["schemas"]["Nutrients"];
            /** @description Averages per day, over the days with entries. */
            averages: components["schemas"]["Nutrients"];
            /** @description The mean goal per day; null if there is none. */
            goal: {
                /** @description Energy in kcal. */
                calories?: number;
                /** @description Protein in g. Null: no goal. */
                protein?: number;
                /** @description Carbohydrates in g. Null: no goal. */
                carbs?: number;
                /** @description Fat in g. Null: no goal. */
                fats?: number;
            } | null;
            /** @description Number of days with entries. */
            loggedDays: number;
            /** @description Number of entries. */
            entries: number;
        };
        /** @description A food of the table, a food of your own, or a product with a barcode. */
        Food: {
            /** @description The food's id. */
            id: string;
            /** @description In the language of the request, or in English if there is no such name. */
            name: string;
            /** @description The brand; null if there is none. */
            brand: string | null;
            /** @description The digits of the barcode: EAN-8 or EAN-13; null if there is none. */
            barcode: string | null;
            /** @description The kind of food, e.g. `fruit`, `dairy`. Null for own foods and products. */
            category: string | null;
            /** @description Number of the food in the USDA table SR28; null if its values are not from there. */
            ndb: string | null;
            /** @description The nutrients of 100 g. */
            per100g: components["schemas"]["FoodNutrients"];
            /** @description Household measures: cup, tbsp, slice, piece, large ... */
            measures: {
                /** @description The name of the measure, e.g. `cup`, `slice`. */
                name: string;
                /** @description The weight of one such measure in grams. */
                grams: number;
            }[];
            /** @description The amount that is assumed if a text names none; null: nothing is assumed. */
            portion: {
                /** @description Number of `unit`. */
                amount: number;
                /** @description The unit of `amount`, e.g. `cup`, `slice`, `g`. */
                unit: string;
                /** @description The weight of the whole portion in grams. */
                grams: number;
            } | null;
            /** @description Whether it is your own food, which you may change. */
            custom: boolean;
            /** @description Starts at 1 and increases with every change. */
            version: number;
        };
        /** @description The nutrients of 100 g: energy in kcal, the others in grams; null: unknown. */
        FoodNutrients: {
            /** @description Energy in kcal. */
            calories: number;
            /** @description Protein in g. Null: unknown. */
            protein: number | null;
            /** @description Carbohydrates in g. Null: unknown. */
            carbs: number | null;
            /** @description Fat in g. Null: unknown. */
            fats: number | null;
            /** @description Fibre in g. Null: unknown. */
            fibre: number | null;
            /** @description Sugars in g, part of the carbohydrates. Null: unknown. */
            sugars: number | null;
            /** @description Salt in g. Null: unknown. */
            salt: number | null;
        };
        WorkoutBlock: {
            /** @description For example Warm-up. */
            name?: string;
            /** @description After each round of the block. */
            restSeconds?: number;
            /** @description The exercises of the block, which are done in turn. */
            entries: {
                /**
                 * Format: uuid
                 * @description The exercise's id.
                 */
                exerciseId: string;
                /** @description Words for the users, e.g. how to do it. */
                notes?: string;
                /** @description The sets in their order. */
                sets: components["schemas"]["WorkoutSet"][];
            }[];
        };
        WorkoutSet: {
            /**
             * @description What the set is for: NORMAL; WARMUP: to prepare; DROP: at once after the previous set, with less weight; FAILURE: until no further repetition is possible.
             * @default NORMAL
             * @enum {string}
             */
            type: "NORMAL" | "WARMUP" | "DROP" | "FAILURE";
            /** @description The number of repetitions. Not with repRange. */
            reps?: number;
            /** @description A range for the number of repetitions. Not with reps. */
            repRange?: {
                /** @description The lowest number of repetitions. */
                min: number;
                /** @description The highest number of repetitions. */
                max: number;
            };
            /** @description The duration in seconds. */
            durationSeconds?: number;
            /** @description The distance in metres. */
            distanceMeters?: number;
            /** @description The weight in kilograms. */
            weightKg?: number;
            /** @description By how much a band or a machine reduces the weight of the body; never together with weightKg. */
            assistedKg?: number;
            /** @description Rate of perceived exertion, 1 to 10. */
            rpe?: number;
            /** @description Seconds down, hold, up, hold: 3-1-1-0; X means as fast as possible. */
            tempo?: string;
            /** @description The rest after the set, in seconds. */
            restSeconds?: number;
        };
        /** @description One flavour or size of a product. */
        ProductVariant: {
            /** @description The variant's SKU, unique in its product. */
            sku: string;
            /** @description The flavour or the size, e.g. `Chocolate` or `L`. */
            name: string;
            /**
             * @description In minor units; null: the price of the product.
             * @default null
             */
            price: number | null;
            /**
             * @description Number of pieces; null: the stock is not counted.
             * @default null
             */
            stock: number | null;
        };
        /** @description A product that gyms sell. */
        Product: {
            /**
             * Format: uuid
             * @description The product's id.
             */
            id: string;
            /** @description The product's SKU, unique in its shop. */
            sku: string;
            /** @description The name that users see. */
            name: string;
            /** @description What users should know about the product; null if there is no description. */
            description: string | null;
            /**
             * @description Whether the product is a supplement or merchandise.
             *     - `SUPPLEMENT`: Something to eat or drink, e.g. protein powder.
             *     - `MERCHANDISE`: Anything else, e.g. a shirt or a bottle.
             * @enum {string}
             */
            kind: "SUPPLEMENT" | "MERCHANDISE";
            /** @description In minor units of the currency: 2999 with EUR is 29.99 euros. */
            price: number;
            /** @description The currency of the prices, ISO 4217, e.g. `EUR`. */
            currency: string;
            /** @description The pictures: URLs, or paths on the server that answers; at the gateway `/content/media/<file>`. `?size=small|medium|large` chooses a size of a path. */
            images: string[];
            /** @description The flavours or sizes of the product; empty if there is only one. */
            variants: components["schemas"]["ProductVariant"][];
            /** @description Number of pieces; null: the stock is not counted. If there are variants, only their stock counts. */
            stock: number | null;
            /** @description Whether the product, or one of its variants, is in stock. */
            available: boolean;
            /** @description Whether the product is promoted now. */
            featured: boolean;
            /** @description The rank among promoted products: the highest priority comes first. Null: not featured. */
            featuredPriority: number | null;
            /** @description The beginning of the promotion; null: it has begun. */
            featuredFrom: string | null;
            /** @description The end of the promotion; null: it has no end. */
            featuredUntil: string | null;
            /** @description The only gym that sells it; null: every gym sells it. */
            gymId: string | null;
            /** @description Starts at 1 and increases with every change. */
            version: number;
        };
        /** @description An exercise of the library, or one that a gym added. */
        Exercise: {
            /**
             * Format: uuid
             * @description The exercise's id.
             */
            id: string;
            /** @description The name that users see. */
            name: string;
            /** @description Other names that people use. */
            aliases: string[];
            /** @description What users should know about the exercise; null if there is no description. */
            description: string | null;
            /** @description How to do it, step by step; empty if there are no instructions. */
            instructions: string[];
            /** @description The muscles that do most of the work, in lower case, e.g. `chest`. */
            primaryMuscles: string[];
            /** @description The muscles that help, in lower case. */
            secondaryMuscles: string[];
            /** @description What the exercise needs, e.g. `barbell`; `bodyweight` if the body is the load, `none` if nothing is needed. */
            equipment: string;
            /**
             * @description For whom the exercise is suitable.
             *     - `Beginner`: For people who begin to train.
             *     - `Intermediate`: For people who have trained for some time.
             *     - `Advanced`: For people who have trained for a long time.
             * @enum {string}
             */
            level: "Beginner" | "Intermediate" | "Advanced";
            /** @description The direction of the movement: `push`, `pull` or `static`; null if it is none of them. */
            force: string | null;
            /** @description Whether several joints move or one: `compound` or `isolation`; null if it is neither. */
            mechanic: string | null;
            /** @description What kind of exercise it is, e.g. `strength`, `cardio`, `stretching`. */
            category: string;
            /**
             * @description What a set of the exercise measures.
             *     - `WEIGHT_REPS`: Repetitions: `reps` or `repRange`, with or without `weightKg`.
             *     - `BODYWEIGHT_REPS`: Repetitions: `reps` or `repRange`.
             *     - `WEIGHTED_BODYWEIGHT`: Repetitions: `reps` or `repRange`, with or without one of `weightKg`, which is added to the weight of the body, and `assistedKg`, by which a band or a machine reduces it.
             *     - `DURATION`: A time: `durationSeconds`.
             *     - `WEIGHT_DURATION`: A time: `durationSeconds`, with or without `weightKg`.
             *     - `DISTANCE_DURATION`: A distance or a time: `distanceMeters`, `durationSeconds` or both.
             *     - `WEIGHT_DISTANCE`: A distance or a time: `distanceMeters`, `durationSeconds` or both, with or without `weightKg`.
             * @enum {string}
             */
            modality: "WEIGHT_REPS" | "BODYWEIGHT_REPS" | "WEIGHTED_BODYWEIGHT" | "DURATION" | "WEIGHT_DURATION" | "DISTANCE_DURATION" | "WEIGHT_DISTANCE";
            /** @description Path of the picture on the server that answers; at the gateway `/content/media/<file>`. Null if there is none. */
            image: string | null;
            /** @description The gym that has added the exercise; null: it belongs to the common library. */
            gymId: string | null;
            /** @description Starts at 1 and increases with every change. */
            version: number;
        };
        /** @description A muscle, a piece of equipment or a category, with the number of its exercises that you may see. */
        Facet: {
            /** @description The muscle, piece of equipment or category, as a filter of a list accepts it. */
            name: string;
            /** @description The number of its exercises that you may see. */
            exercises: number;
        };
        /** @description A workout that users can repeat. Every change makes a new version; a squad keeps the version that it trains. */
        WorkoutRoutine: {
            /**
             * Format: uuid
             * @description The routine's id, which is the same for all of its versions.
             */
            id: string;
            /** @description The title that users see. */
            title: string;
            /** @description What users should know about the routine; null if there is no description. */
            description: string | null;
            /**
             * @description For whom the routine is suitable.
             *     - `Beginner`: For people who begin to train.
             *     - `Intermediate`: For people who have trained for some time.
             *     - `Advanced`: For people who have trained for a long time.
             * @enum {string}
             */
            difficulty: "Beginner" | "Intermediate" | "Advanced";
            /** @description What kind of workout it is, e.g. `Strength`, `Cardio`. */
            category: string;
            /** @description The muscles that the routine trains, in lower case, e.g. `chest`. */
            targetMuscles: string[];
            /** @description The equipment that its exercises needed when it was last changed, e.g. `barbell`. */
            equipment: string[];
            /** @description Blocks `[{name?, restSeconds?, entries: [{exerciseId, notes?, sets}]}]`; a block of two or more entries is a superset. A set is `{type: NORMAL|WARMUP|DROP|FAILURE, reps | repRange: {min, max} | durationSeconds | distanceMeters, weightKg? | assistedKg?, rpe?, tempo?, restSeconds?}`; the exercise's `modality` decides which of these fields it may have. */
            exercises: components["schemas"]["WorkoutBlockOutput"][];
            /** @description Path of the picture on the server that answers; at the gateway `/content/media/<file>`. `?size=small|medium|large` chooses a size. Null if there is none. */
            image: string | null;
            /** @description How long the routine takes, in minutes. */
            durationMinutes: number;
            /** @description The gym that has added the routine for its own users; null: the routine is global: every gym has it. */
            gymId: string | null;
            /** @description Starts at 1 and increases with every change. */
            version: number;
            /**
             * Format: date-time
             * @description The time at which the routine was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time at which this version was created.
             */
            updatedAt: string;
        };
        /** @description One version of a routine, readable by `workout(id, version)`. */
        WorkoutVersion: {
            /** @description The number of the version, from 1. */
            version: number;
            /** @description The title of the routine in this version. */
            title: string;
            /**
             * Format: date-time
             * @description The time at which the version was created.
             */
            createdAt: string;
        };
        "content.EventPage": {
            /** @description The events, the oldest first. */
            events: components["schemas"]["content.Event"][];
            /** @description `after` of the next request; also if there are no events. */
            next: string;
        };
        "content.Event": {
            /**
             * Format: uuid
             * @description The same in every feed and every delivery of the event.
             */
            id: string;
            /** @description One of `check_in.opened`, `check_in.closed`, `check_in.undone`, `check_in.denied`, `occupancy.level_changed`, `challenge.ended`, `gym_config.published`, `gym.deployed`, `member.joined`, `member.updated`, `member.removed`, `product.changed`. */
            type: string;
            /** @description Null for something that belongs to all gyms. */
            gymId: string | null;
            /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
            subject: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            occurredAt: string;
            /** @description The resource after the event, as its GET returns it to a machine client. */
            data: {
                [key: string]: unknown;
            };
        };
        WorkoutBlockOutput: {
            /** @description For example Warm-up. */
            name?: string;
            /** @description After each round of the block. */
            restSeconds?: number;
            /** @description The exercises of the block, which are done in turn. */
            entries: {
                /**
                 * Format: uuid
                 * @description The exercise's id.
                 */
                exerciseId: string;
                /** @description Words for the users, e.g. how to do it. */
                notes?: string;
                /** @description The sets in their order. */
                sets: components["schemas"]["WorkoutSetOutput"][];
            }[];
        };
        WorkoutSetOutput: {
            /**
             * @description What the set is for: NORMAL; WARMUP: to prepare; DROP: at once after the previous set, with less weight; FAILURE: until no further repetition is possible.
             * @default NORMAL
             * @enum {string}
             */
            type: "NORMAL" | "WARMUP" | "DROP" | "FAILURE";
            /** @description The number of repetitions. Not with repRange. */
            reps?: number;
            /** @description A range for the number of repetitions. Not with reps. */
            repRange?: {
                /** @description The lowest number of repetitions. */
                min: number;
                /** @description The highest number of repetitions. */
                max: number;
            };
            /** @description The duration in seconds. */
            durationSeconds?: number;
            /** @description The distance in metres. */
            distanceMeters?: number;
            /** @description The weight in kilograms. */
            weightKg?: number;
            /** @description By how much a band or a machine reduces the weight of the body; never together with weightKg. */
            assistedKg?: number;
            /** @description Rate of perceived exertion, 1 to 10. */
            rpe?: number;
            /** @description Seconds down, hold, up, hold: 3-1-1-0; X means as fast as possible. */
            tempo?: string;
            /** @description The rest after the set, in seconds. */
            restSeconds?: number;
        };
        /** @description A product that gyms sell. */
        ProductOutput: {
            /**
             * Format: uuid
             * @description The product's id.
             */
            id: string;
            /** @description The product's SKU, unique in its shop. */
            sku: string;
            /** @description The name that users see. */
            name: string;
            /** @description What users should know about the product; null if there is no description. */
            description: string | null;
            /**
             * @description Whether the product is a supplement or merchandise.
             *     - `SUPPLEMENT`: Something to eat or drink, e.g. protein powder.
             *     - `MERCHANDISE`: Anything else, e.g. a shirt or a bottle.
             * @enum {string}
             */
            kind: "SUPPLEMENT" | "MERCHANDISE";
            /** @description In minor units of the currency: 2999 with EUR is 29.99 euros. */
            price: number;
            /** @description The currency of the prices, ISO 4217, e.g. `EUR`. */
            currency: string;
            /** @description The pictures: URLs, or paths on the server that answers; at the gateway `/content/media/<file>`. `?size=small|medium|large` chooses a size of a path. */
            images: string[];
            /** @description The flavours or sizes of the product; empty if there is only one. */
            variants: components["schemas"]["ProductVariantOutput"][];
            /** @description Number of pieces; null: the stock is not counted. If there are variants, only their stock counts. */
            stock: number | null;
            /** @description Whether the product, or one of its variants, is in stock. */
            available: boolean;
            /** @description Whether the product is promoted now. */
            featured: boolean;
            /** @description The rank among promoted products: the highest priority comes first. Null: not featured. */
            featuredPriority: number | null;
            /** @description The beginning of the promotion; null: it has begun. */
            featuredFrom: string | null;
            /** @description The end of the promotion; null: it has no end. */
            featuredUntil: string | null;
            /** @description The only gym that sells it; null: every gym sells it. */
            gymId: string | null;
            /** @description Starts at 1 and increases with every change. */
            version: number;
        };
        /** @description One flavour or size of a product. */
        ProductVariantOutput: {
            /** @description The variant's SKU, unique in its product. */
            sku: string;
            /** @description The flavour or the size, e.g. `Chocolate` or `L`. */
            name: string;
            /**
             * @description In minor units; null: the price of the product.
             * @default null
             */
            price: number | null;
            /**
             * @description Number of pieces; null: the stock is not counted.
             * @default null
             */
            stock: number | null;
        };
        /** @description A member who is online. */
        OnlineUser: {
            /** @description The user's id. */
            userId: string;
            /** @description The id of the user's gym. */
            gymId: string;
            /**
             * @description The status that the member has chosen: `AVAILABLE` or `WORKING_OUT`.
             *     - `AVAILABLE`: Ready to train with others.
             *     - `WORKING_OUT`: Online, and busy with a workout.
             *     - `INVISIBLE`: Online, but not shown to other users.
             * @enum {string}
             */
            status: "AVAILABLE" | "WORKING_OUT" | "INVISIBLE";
            /** @description What the member is doing, in their own words; null if they have not stated it. */
            activity: string | null;
            /**
             * Format: date-time
             * @description The time since which other users can see the member.
             */
            since: string;
        };
        /** @description A club: a group of members of a gym that lasts. */
        Group: {
            /**
             * Format: uuid
             * @description The club's id.
             */
            id: string;
            /** @description The id of the gym whose members may join. */
            gymId: string;
            /** @description The name that users see. */
            name: string;
            /** @description The user who founded the club; null if the account is deleted, or if you may not see the user. */
            createdBy: string | null;
            /** @description In the order of joining, without users whom the caller may not see. */
            memberIds: string[];
            /** @description The number of members whom you may see. */
            memberCount: number;
            /** @description Whether you are a member. */
            joined: boolean;
            /**
             * Format: date-time
             * @description The time at which the club was founded.
             */
            createdAt: string;
        };
        /** @description "Train with me": from one member of a gym to another. */
        SquadInvite: {
            /**
             * Format: uuid
             * @description The invite's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The squad that the invite is for.
             */
            squadId: string;
            /** @description The id of the gym of both users. */
            gymId: string;
            /** @description The sender's id. */
            fromUserId: string;
            /** @description The receiver's id. */
            toUserId: string;
            /** @description The words of the sender; null if there are none. */
            message: string | null;
            /**
             * @description What has become of the invite.
             *     - `PENDING`: The invite is open.
             *     - `ACCEPTED`: Its receiver has accepted it.
             *     - `DECLINED`: Its receiver has declined it.
             *     - `EXPIRED`: Not answered in ten minutes.
             *     - `REVOKED`: Revoked by the sender, or because the squad has ended.
             * @enum {string}
             */
            status: "PENDING" | "ACCEPTED" | "DECLINED" | "EXPIRED" | "REVOKED";
            /**
             * Format: date-time
             * @description The time at which the invite was sent.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The invite can be answered until this time, ten minutes after it was sent.
             */
            expiresAt: string;
            /** @description When it was accepted, declined or revoked, or was found to have expired; null while it is open. */
            respondedAt: string | null;
        };
        /** @description A squad: members of a gym who train together now. Each change of it increases `revision` by one. */
        SquadSession: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            id: string;
            /** @description The id of the gym whose members train. */
            gymId: string;
            /** @description The id of the host. */
            hostId: string;
            /** @description The id of the routine; null for a workout without a routine. */
            routineId: string | null;
            /** @description The version of the routine when the squad was opened; null for a workout without a routine, or if it is not known. */
            routineVersion: number | null;
            /**
             * @description The state of the squad.
             *     - `LOBBY`: Open, and the workout has not started.
             *     - `ACTIVE`: The workout is running.
             *     - `PAUSED`: The host has paused the workout.
             *     - `ENDED`: The squad has ended, and does not change any more.
             * @enum {string}
             */
            status: "LOBBY" | "ACTIVE" | "PAUSED" | "ENDED";
            /** @description The number of changes of the squad. */
            revision: number;
            /** @description All users who take part or took part, in the order of joining. */
            participants: components["schemas"]["SquadParticipant"][];
            /**
             * Format: date-time
             * @description The time at which the squad was opened.
             */
            createdAt: string;
            /** @description The time at which the workout was started; null before. */
            startedAt: string | null;
            /** @description The beginning of the current pause; null if the workout is not paused. */
            pausedAt: string | null;
            /** @description The time at which the squad ended; null before. */
            endedAt: string | null;
        };
        /** @description A user in a squad, with their position in the workout. */
        SquadParticipant: {
            /** @description The participant's id. */
            userId: string;
            /**
             * Format: date-time
             * @description The time at which the user first joined the squad.
             */
            joinedAt: string;
            /** @description The time at which the user left; null while they take part. */
            leftAt: string | null;
            /** @description The number of the exercise, from 0. In a routine, the entries of all blocks are counted in their order. */
            exerciseIndex: number;
            /** @description The number of the set in the exercise, from 0. */
            setIndex: number;
            /**
             * @description What the user does at this position.
             *     - `WORK`: They do the set.
             *     - `REST`: They rest after the set.
             *     - `DONE`: They have finished the set and its rest; after the last set, the workout.
             * @enum {string}
             */
            phase: "WORK" | "REST" | "DONE";
            /** @description The time at which the user wants to continue; null if they have not stated it. */
            restEndsAt: string | null;
            /** @description The set that the user sent last; null before the first set. */
            lastSet: {
                /** @description The number of repetitions; null if it was not sent. */
                reps?: number | null;
                /** @description The weight in kilograms; null if it was not sent. */
                weightKg?: number | null;
                /** @description The duration in seconds; null if it was not sent. */
                durationSeconds?: number | null;
                /** @description The distance in metres; null if it was not sent. */
                distanceMeters?: number | null;
                /** @description Rating of perceived exertion, 0 to 10; null if it was not sent. */
                rpe?: number | null;
            } | null;
            /** @description The number of sets that the user has done, each counted once. */
            setsDone: number;
        };
        SquadEvent: {
            /**
             * @description squad_joined: a user has joined; squad_left: a user has left or was removed; squad_updated: any other change.
             * @enum {string}
             */
            event: "squad_joined" | "squad_left" | "squad_updated";
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description The number of changes of the squad, including this one. */
            revision: number;
            /**
             * Format: date-time
             * @description The time of the change.
             */
            at: string;
            /** @description The user who did it; for squad_left the user who has left or was removed. */
            userId: string;
            /** @description The id of the host after the change. */
            hostId: string;
            /**
             * @description The state of the squad after the change.
             * @enum {string}
             */
            status: "LOBBY" | "ACTIVE" | "PAUSED" | "ENDED";
            /** @description The participant after the change; null if the session as a whole has changed. */
            participant: components["schemas"]["SquadParticipant"] | null;
        };
        /** @description A message in the chat of a squad. */
        SquadMessage: {
            /**
             * Format: uuid
             * @description The message's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description The user who wrote the message. */
            userId: string;
            /** @description Empty once the message is deleted. */
            text: string;
            /** @description Whether its author has deleted it. */
            deleted: boolean;
            /** @description The id that the sender chose for the message, by which a repeated one is recognised; null if they chose none. */
            clientId: string | null;
            /** @description The number of the message in the squad, from 1. */
            seq: number;
            /**
             * Format: date-time
             * @description The time at which the message was sent.
             */
            sentAt: string;
        };
        /** @description A message of a squad that one of its readers has reported. */
        SquadMessageReport: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /**
             * Format: uuid
             * @description The message's id.
             */
            messageId: string;
            /** @description The user who reported the message. */
            reporterId: string;
            /** @description The user who wrote the message. */
            authorId: string;
            /** @description The text of the message when it was reported. */
            text: string;
            /** @description Why the message was reported, in the words of the reporter; null if they have not stated it. */
            reason: string | null;
            /**
             * Format: date-time
             * @description The time of the reporter's latest report of this message.
             */
            createdAt: string;
        };
        /** @description A workout that the user did in a squad. If they left the squad and joined it again, all of it is one workout. */
        SquadWorkout: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description The id of the routine; null for a workout without a routine. */
            routineId: string | null;
            /** @description The version of the routine that was trained; null for a workout without a routine, or if it is not known. */
            routineVersion: number | null;
            /**
             * Format: date-time
             * @description When the user began: at the start of the squad, or when they joined it if that was later.
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description When the user left, or the squad ended.
             */
            endedAt: string;
            /** @description Minutes that the user trained, without LOBBY and pauses. */
            minutes: number;
            /** @description The number of sets that the user did. */
            sets: number;
            /** @description The id of the training that was stored with these sets; null if there is none. */
            trainingId: string | null;
            /** @description Everybody who had taken part by then, the user included. An id is null if this person or the user has blocked the other. */
            participantIds: (string | null)[];
        };
        /** @description An entry of the feed of a gym. */
        FeedItem: {
            /** @description The id of the post, announcement, squad or club. */
            id: string;
            /**
             * @description What the entry is.
             *     - `POST`: A post of the gym service.
             *     - `ANNOUNCEMENT`: An announcement of the gym service.
             *     - `SQUAD_FINISHED`: A squad has ended after a workout.
             *     - `GROUP_CREATED`: A club was founded.
             * @enum {string}
             */
            kind: "POST" | "ANNOUNCEMENT" | "SQUAD_FINISHED" | "GROUP_CREATED";
            /**
             * Format: date-time
             * @description The time at which the entry was written, or at which it happened.
             */
            at: string;
            /** @description The user who wrote or did it; null for an announcement by a user whom the caller may not see. */
            userId: string | null;
            /** @description The title of an announcement; null for other entries. */
            title: string | null;
            /** @description The text of the post or announcement; a summary of other entries. */
            text: string;
            /** @description Path of a post's picture; null if there is none. At the gateway `/gym/media/<file>`; at the squad service's own port `/media/<file>`, which the gym service serves. */
            image: string | null;
            /** @description All participants of a squad workout; empty for other items. */
            participantIds: string[];
            /** @description The founded club; null for other entries. */
            groupId: string | null;
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
    runGraphOperation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "query First($count: Int!) { workouts(first: $count) { nodes { title durationMinutes } } }",
                 *       "variables": {
                 *         "count": 1
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description The operation; optional if `extensions.persistedQuery` identifies it. */
                    query: string;
                    /** @description Required if the document has several operations. */
                    operationName?: string | null;
                    variables?: Record<string, never> | null;
                    extensions?: Record<string, never> | null;
                };
                "multipart/form-data": {
                    /** @description The request as JSON, with `null` for each file. */
                    operations: string;
                    /** @description A JSON object from the name of each file part to its paths in `operations`: `{"0": ["variables.file"]}`. */
                    map: string;
                } & {
                    [key: string]: string;
                };
            };
        };
        responses: {
            /** @description The result; `errors` if fields failed or were refused. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "workouts": {
                     *           "nodes": [
                     *             {
                     *               "title": "Bodyweight Anywhere",
                     *               "durationMinutes": 23
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data?: Record<string, never> | null;
                        errors?: {
                            message: string;
                            path?: (string | number)[];
                            extensions?: {
                                /** @description The same codes as in REST problem documents. */
                                code?: string;
                            };
                        }[];
                        extensions?: Record<string, never>;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data?: Record<string, never> | null;
                        errors?: {
                            message: string;
                            path?: (string | number)[];
                            extensions?: {
                                /** @description The same codes as in REST problem documents. */
                                code?: string;
                            };
                        }[];
                        extensions?: Record<string, never>;
                    };
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
            /** @description The process answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        status: string;
                        checks?: Record<string, never>;
                        /** @description What does not work although the server continues, with the consequence of each. */
                        lost?: {
                            [key: string]: string;
                        };
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
            /** @description The gateway is ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "checks": {}
                     *     }
                     */
                    "application/json": {
                        status: string;
                        checks?: Record<string, never>;
                        /** @description What does not work although the server continues, with the consequence of each. */
                        lost?: {
                            [key: string]: string;
                        };
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text format of Prometheus. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAsyncApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description AsyncAPI 3 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    importUsers: {
        parameters: {
            query?: {
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description Whether each new member gets a mail with a token to set their password. Default: false. */
                invite?: "true" | "false";
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {"email": "rosa@iron.test", "displayName": "Rosa"}
                 *     {"email": "nobody", "displayName": "Nobody"}
                 */
                "application/x-ndjson": string;
                "text/csv": string;
            };
        };
        responses: {
            /** @description The import. `Location` is its path. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000011",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "status": "RUNNING",
                     *       "total": 2,
                     *       "created": 0,
                     *       "existing": 0,
                     *       "failed": 1,
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "finishedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["UserImport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUserImport: {
        parameters: {
            query?: {
                /** @description Only lines with this status. */
                status?: "PENDING" | "CREATED" | "EXISTING" | "FAILED";
                /** @description Only lines after this line of the file. */
                after?: number;
                /** @description The maximum number of lines, at most 1000, which is the default. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The import. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000011",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "status": "RUNNING",
                     *       "total": 2,
                     *       "created": 0,
                     *       "existing": 0,
                     *       "failed": 1,
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "finishedAt": null,
                     *       "lines": [
                     *         {
                     *           "line": 2,
                     *           "status": "FAILED",
                     *           "userId": null,
                     *           "errors": [
                     *             {
                     *               "path": "email",
                     *               "message": "expected an email address"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "nextAfter": null
                     *     }
                     */
                    "application/json": components["schemas"]["UserImportWithLines"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "nora@iron.test",
                 *       "password": "a-good-password",
                 *       "displayName": "Nora",
                 *       "gymId": "01900000-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": {
                    /** @description The email for log-in: at most 254 characters. No other account may have it, in upper or lower case. */
                    email: string;
                    /** @description 8 to 200 characters. Not the email or a part of it, and not one of the most common passwords; a password that contains the part of the email before the `@` has at least 6 characters besides it. */
                    password: string;
                    /** @description The name that other users see: at most 80 characters. */
                    displayName: string;
                    /** @description The gym to join; null: none. Later only an admin can move the user. */
                    gymId?: string | null;
                };
            };
        };
        responses: {
            /** @description The new user. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "displayName": "Nora",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 1,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "nora@iron.test",
                     *       "emailVerified": false,
                     *       "qrCode": "FIT-07a86d4770426106883d0f432e5",
                     *       "body": null,
                     *       "trainingGoals": null
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMyAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "displayName": "Nora",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 4,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "nora@iron.test",
                     *       "emailVerified": true,
                     *       "qrCode": "FIT-07a86d4770426106883d0f432e5",
                     *       "body": null,
                     *       "trainingGoals": null
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMyProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8000-000000000103",
                     *       "displayName": "Maya",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "Europe/Berlin",
                     *       "units": "METRIC",
                     *       "version": 4,
                     *       "createdAt": "2026-01-01T00:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-01-01T00:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "maya@iron.test",
                     *       "emailVerified": true,
                     *       "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56",
                     *       "body": {
                     *         "sex": null,
                     *         "heightCm": 170,
                     *         "weightKg": 60,
                     *         "birthDate": null
                     *       },
                     *       "trainingGoals": {
                     *         "goals": [
                     *           "strength"
                     *         ],
                     *         "activity": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMyAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "the-best-password"
                 *     }
                 */
                "application/json": {
                    /** @description The current password, as confirmation. */
                    password: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The account is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description A part of the name or the email; at most 200 characters. */
                search?: string;
                /** @description Only people whose membership has this status. */
                status?: "PENDING" | "ACTIVE" | "FROZEN" | "ENDED";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of registration. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8000-000000000102",
                     *         "displayName": "Ada Iron",
                     *         "bio": null,
                     *         "role": "GYM_ADMIN",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "avatar": null,
                     *         "locale": "en",
                     *         "timezone": "Europe/Berlin",
                     *         "units": "METRIC",
                     *         "version": 1,
                     *         "createdAt": "2026-01-01T00:00:00.000Z",
                     *         "updatedAt": "2026-01-01T00:00:00.000Z",
                     *         "membership": {
                     *           "gymId": "01900000-0000-7000-8000-000000000001",
                     *           "status": "ACTIVE",
                     *           "since": "2026-01-01T00:00:00.000Z",
                     *           "until": null,
                     *           "reason": null
                     *         },
                     *         "email": "admin@iron.test",
                     *         "emailVerified": true,
                     *         "suspension": null,
                     *         "qrCode": "FIT-3010a57c008e04701ce7df28a84",
                     *         "body": null,
                     *         "trainingGoals": null
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8000-000000000103",
                     *         "displayName": "Maya",
                     *         "bio": null,
                     *         "role": "MEMBER",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "avatar": null,
                     *         "locale": "en",
                     *         "timezone": "Europe/Berlin",
                     *         "units": "METRIC",
                     *         "version": 4,
                     *         "createdAt": "2026-01-01T00:00:00.000Z",
                     *         "updatedAt": "2026-06-15T10:00:00.000Z",
                     *         "membership": {
                     *           "gymId": "01900000-0000-7000-8000-000000000001",
                     *           "status": "ACTIVE",
                     *           "since": "2026-01-01T00:00:00.000Z",
                     *           "until": null,
                     *           "reason": null
                     *         },
                     *         "email": "maya@iron.test",
                     *         "emailVerified": true,
                     *         "suspension": null,
                     *         "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["User"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSuperAdmins: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public fields and the email of each SUPER_ADMIN. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8000-000000000101",
                     *         "displayName": "Sam Super",
                     *         "bio": null,
                     *         "role": "SUPER_ADMIN",
                     *         "gymId": null,
                     *         "avatar": null,
                     *         "locale": "en",
                     *         "timezone": "UTC",
                     *         "units": "METRIC",
                     *         "version": 1,
                     *         "createdAt": "2026-01-01T00:00:00.000Z",
                     *         "updatedAt": "2026-01-01T00:00:00.000Z",
                     *         "email": "super@demo.test"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["User"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUserByQrCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's current code. */
                qrCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8000-000000000103",
                     *       "displayName": "Maya",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "Europe/Berlin",
                     *       "units": "METRIC",
                     *       "version": 4,
                     *       "createdAt": "2026-01-01T00:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-01-01T00:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "maya@iron.test",
                     *       "emailVerified": true,
                     *       "suspension": null,
                     *       "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkEmailAvailability: {
        parameters: {
            query: {
                /** @description The email to check; upper and lower case do not matter. */
                email: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `available` is true if no account has the email, without regard to case. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "new@iron.test",
                     *       "available": true
                     *     }
                     */
                    "application/json": {
                        /** @description The checked email. */
                        email: string;
                        /** @description Whether no account has the email. */
                        available: boolean;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, with the fields that the caller may see. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8000-000000000103",
                     *       "displayName": "Maya",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "Europe/Berlin",
                     *       "units": "METRIC",
                     *       "version": 4,
                     *       "createdAt": "2026-01-01T00:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-01-01T00:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "maya@iron.test",
                     *       "emailVerified": true,
                     *       "suspension": null,
                     *       "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "nora@iron.test",
                 *       "password": "a-good-password"
                 *     }
                 */
                "application/json": {
                    /** @description The email of the account; upper and lower case do not matter. */
                    email: string;
                    /** @description The password of the account. */
                    password: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Access token, refresh token and the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
                     *       "tokenType": "Bearer",
                     *       "expiresIn": 900,
                     *       "refreshToken": "c345cea8d3df5a892716acabd357990df3fc9fe9f2f",
                     *       "user": {
                     *         "id": "01900000-0000-7000-9000-000000000001",
                     *         "displayName": "Nora",
                     *         "bio": null,
                     *         "role": "MEMBER",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "avatar": null,
                     *         "locale": "en",
                     *         "timezone": "UTC",
                     *         "units": "METRIC",
                     *         "version": 2,
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "updatedAt": "2026-06-15T10:00:00.000Z",
                     *         "membership": {
                     *           "gymId": "01900000-0000-7000-8000-000000000001",
                     *           "status": "ACTIVE",
                     *           "since": "2026-06-15T10:00:00.000Z",
                     *           "until": null,
                     *           "reason": null
                     *         },
                     *         "email": "nora@iron.test",
                     *         "emailVerified": true,
                     *         "qrCode": "FIT-07a86d4770426106883d0f432e5",
                     *         "body": null,
                     *         "trainingGoals": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuthPayload"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refreshTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refreshToken": "c345cea8d3df5a892716acabd357990df3fc9fe9f2f"
                 *     }
                 */
                "application/json": {
                    /** @description The latest refresh token of the session. */
                    refreshToken: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Access token, the next refresh token and the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
                     *       "tokenType": "Bearer",
                     *       "expiresIn": 900,
                     *       "refreshToken": "b1186d964dcccad59aa316bb36b498ee8a6a139f470",
                     *       "user": {
                     *         "id": "01900000-0000-7000-9000-000000000001",
                     *         "displayName": "Nora",
                     *         "bio": null,
                     *         "role": "MEMBER",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "avatar": null,
                     *         "locale": "en",
                     *         "timezone": "UTC",
                     *         "units": "METRIC",
                     *         "version": 2,
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "updatedAt": "2026-06-15T10:00:00.000Z",
                     *         "membership": {
                     *           "gymId": "01900000-0000-7000-8000-000000000001",
                     *           "status": "ACTIVE",
                     *           "since": "2026-06-15T10:00:00.000Z",
                     *           "until": null,
                     *           "reason": null
                     *         },
                     *         "email": "nora@iron.test",
                     *         "emailVerified": true,
                     *         "qrCode": "FIT-07a86d4770426106883d0f432e5",
                     *         "body": null,
                     *         "trainingGoals": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuthPayload"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refreshToken": "6c30b8f6e9d856ebced809323e8dd5f59299705b11d"
                 *     }
                 */
                "application/json": {
                    /** @description The latest refresh token of the session; absent: the session of the access token ends. */
                    refreshToken?: string | null;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The session has ended, now or earlier. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMySessions: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most recently used first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000002",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "lastUsedAt": "2026-06-15T10:00:00.000Z",
                     *         "expiresAt": "2026-07-15T10:00:00.000Z",
                     *         "userAgent": "node",
                     *         "address": "127.0.0.1",
                     *         "current": false
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000003",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "lastUsedAt": "2026-06-15T10:00:00.000Z",
                     *         "expiresAt": "2026-07-15T10:00:00.000Z",
                     *         "userAgent": "node",
                     *         "address": "127.0.0.1",
                     *         "current": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endMySession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listEndedSessions: {
        parameters: {
            query?: {
                /** @description `next` of the previous answer. Without it, the answer begins with the oldest entry. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions that ended since the previous answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "id": "01900000-0000-7000-9000-000000000004",
                     *           "refusedUntil": "2026-06-15T10:15:00.000Z"
                     *         },
                     *         {
                     *           "id": "01900000-0000-7000-9000-000000000005",
                     *           "refusedUntil": "2026-06-15T10:15:00.000Z"
                     *         }
                     *       ],
                     *       "next": "89a7",
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "nora@iron.test"
                 *     }
                 */
                "application/json": {
                    /** @description The email of the account; upper and lower case do not matter. */
                    email: string;
                };
            };
        };
        responses: {
            /** @description If an account has the address, a mail will be sent to it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmPasswordReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "9f91463de41dbcb81d97ac1a879ee05b1c27b17c879",
                 *       "password": "another-good-password"
                 *     }
                 */
                "application/json": {
                    /** @description The token of the mail. */
                    token: string;
                    /** @description 8 to 200 characters. Not the email or a part of it, and not one of the most common passwords; a password that contains the part of the email before the `@` has at least 6 characters besides it. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The password is set; log in with it. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeMyPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current": "another-good-password",
                 *       "password": "the-best-password"
                 *     }
                 */
                "application/json": {
                    /** @description The current password. */
                    current: string;
                    /** @description 8 to 200 characters. Not the email or a part of it, and not one of the most common passwords; a password that contains the part of the email before the `@` has at least 6 characters besides it. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The new password is set. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMyProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bio": "Rower",
                 *       "locale": "de",
                 *       "timezone": "Europe/Berlin",
                 *       "units": "METRIC"
                 *     }
                 */
                "application/json": {
                    /** @description Only for a service of the platform: the user whose profile it changes. Users change only their own profile. */
                    userId?: string | null;
                    /** @description The name that other users see: at most 80 characters. */
                    displayName?: string | null;
                    /** @description A text about yourself: at most 2,000 characters. An empty text removes the bio; null leaves it unchanged. */
                    bio?: string | null;
                    /** @description BCP 47 language tag, e.g. `de-AT`. */
                    locale?: string | null;
                    /** @description IANA time zone, e.g. `Europe/Berlin`. */
                    timezone?: string | null;
                    /**
                     * @description The units in which front ends show weights and lengths.
                     *     - `METRIC`: Kilograms, centimetres.
                     *     - `IMPERIAL`: Pounds, feet and inches.
                     */
                    units?: ("METRIC" | "IMPERIAL") | null;
                    /** @description Changes only the keys that it contains: a value replaces the stored one, null removes it, and an absent key is unchanged. */
                    body?: {
                        /** @description The height in centimetres: 50 to 260. */
                        heightCm?: number | null;
                        /** @description The weight in kilograms: 20 to 400. */
                        weightKg?: number | null;
                        /**
                         * @description The sex that you state.
                         *     - `FEMALE`: Female.
                         *     - `MALE`: Male.
                         *     - `OTHER`: Another sex.
                         */
                        sex?: ("FEMALE" | "MALE" | "OTHER") | null;
                        /** @description The day of birth, YYYY-MM-DD, at least 13 years ago. */
                        birthDate?: string | null;
                    } | null;
                    /** @description The whole object is replaced; it is removed if it has neither goals nor activity. */
                    trainingGoals?: {
                        /** @description The goals in your own words: at most 10, each of at most 60 characters. */
                        goals: string[];
                        /** @description How active you are, in your own words: at most 60 characters. */
                        activity?: string | null;
                    } | null;
                    /** @description The version on which the change is based; without it the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "displayName": "Nora",
                     *       "bio": "Rower",
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "de",
                     *       "timezone": "Europe/Berlin",
                     *       "units": "METRIC",
                     *       "version": 5,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "nora@iron.test",
                     *       "emailVerified": true,
                     *       "qrCode": "FIT-07a86d4770426106883d0f432e5",
                     *       "body": null,
                     *       "trainingGoals": null
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateMyQrCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user with the new `qrCode`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "displayName": "Nora",
                     *       "bio": "Rower",
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "de",
                     *       "timezone": "Europe/Berlin",
                     *       "units": "METRIC",
                     *       "version": 6,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "nora@iron.test",
                     *       "emailVerified": true,
                     *       "qrCode": "FIT-fff839461e4855818effe585c84",
                     *       "body": null,
                     *       "trainingGoals": null
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMyQrCodeAsSvg: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMyQrCodeAsPng: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A picture of 512 x 512 pixels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    uploadMyAvatar: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "avatar": "picture.png"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description At most 10 MiB. */
                    avatar?: string;
                };
            };
        };
        responses: {
            /** @description The user with the path of the picture in `avatar`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "displayName": "Nora",
                     *       "bio": "Rower",
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": "/avatars/01900000-0000-7000-9000-000000000006.webp",
                     *       "locale": "de",
                     *       "timezone": "Europe/Berlin",
                     *       "units": "METRIC",
                     *       "version": 7,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "nora@iron.test",
                     *       "emailVerified": true,
                     *       "qrCode": "FIT-fff839461e4855818effe585c84",
                     *       "body": null,
                     *       "trainingGoals": null
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAvatar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the file, from `avatar` of a user. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WebP, 512 x 512 pixels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setUserRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "GYM_ADMIN"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The new role. It invalidates the user's access tokens; the next refresh returns a token with the new role.
                     *     - `MEMBER`: Trains at a gym.
                     *     - `GYM_ADMIN`: Manages one gym.
                     *     - `SUPER_ADMIN`: Manages the platform.
                     * @enum {string}
                     */
                    role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
                };
            };
        };
        responses: {
            /** @description The changed user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "displayName": "Lou",
                     *       "bio": null,
                     *       "role": "GYM_ADMIN",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 5,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "FROZEN",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": "2026-07-15T10:00:00.000Z",
                     *         "reason": "A broken leg"
                     *       },
                     *       "email": "lou@iron.test",
                     *       "emailVerified": false,
                     *       "suspension": null,
                     *       "qrCode": "FIT-1c48a6b5e9f132a968b2de93d8b"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setUserGym: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "gymId": "01900000-0000-7000-8000-000000000002"
                 *     }
                 */
                "application/json": {
                    /** @description The new gym; null removes the user from their gym. The field must be present: without it the answer is `VALIDATION_FAILED`. */
                    gymId: string | null;
                };
            };
        };
        responses: {
            /** @description The changed user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "displayName": "Lou",
                     *       "bio": null,
                     *       "role": "GYM_ADMIN",
                     *       "gymId": "01900000-0000-7000-8000-000000000002",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 6,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000002",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "lou@iron.test",
                     *       "emailVerified": false,
                     *       "suspension": null,
                     *       "qrCode": "FIT-1c48a6b5e9f132a968b2de93d8b"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setUserMembership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "FROZEN",
                 *       "until": "2026-07-15T10:00:00.000Z",
                 *       "reason": "A broken leg"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description ACTIVE, FROZEN or ENDED.
                     *     - `ACTIVE`: The user belongs to the gym, and may check in.
                     *     - `FROZEN`: The user belongs to the gym, but may not check in or book.
                     *     - `ENDED`: The user no longer belongs to the gym.
                     * @enum {string}
                     */
                    status: "ACTIVE" | "FROZEN" | "ENDED";
                    /** @description When an ACTIVE membership ends, or a FROZEN one becomes ACTIVE again. Absent or null: never. */
                    until?: string | null;
                    /** @description Why, in at most 500 characters; the user and the staff of the gym can read it. Absent or null: none. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description The changed user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "displayName": "Lou",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 2,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "FROZEN",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": "2026-07-15T10:00:00.000Z",
                     *         "reason": "A broken leg"
                     *       },
                     *       "email": "lou@iron.test",
                     *       "emailVerified": false,
                     *       "suspension": null,
                     *       "qrCode": "FIT-1c48a6b5e9f132a968b2de93d8b"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    joinGym: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, with their membership. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000021",
                     *       "displayName": "Pia",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 2,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "pia@iron.test",
                     *       "emailVerified": false,
                     *       "qrCode": "FIT-a66a5d32a57b5f8f6f9ff1d7850",
                     *       "body": null,
                     *       "trainingGoals": null
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMemberships: {
        parameters: {
            query: {
                /** @description At most 100 ids, separated by commas. */
                userIds: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The users that exist, in no order. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "userId": "01900000-0000-7000-9000-000000000008",
                     *         "role": "MEMBER",
                     *         "suspended": false,
                     *         "membership": {
                     *           "gymId": "01900000-0000-7000-8000-000000000001",
                     *           "status": "FROZEN",
                     *           "since": "2026-06-15T10:00:00.000Z",
                     *           "until": "2026-07-15T10:00:00.000Z",
                     *           "reason": "A broken leg"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MemberState"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "d8148de01a5d37bf3f797d09bdf9ce6863e0609fb65"
                 *     }
                 */
                "application/json": {
                    /** @description The token of the mail. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The email is verified. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description If the email is not verified, the mail is sent afterwards. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setUserSuspension: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "suspended": true,
                 *       "reason": "Abuse of other members"
                 *     }
                 */
                "application/json": {
                    /** @description True: nobody can log in to the account. False: the suspension ends. */
                    suspended: boolean;
                    /** @description Why, in at most 500 characters; for admins. Absent or null: none. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description The changed user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "displayName": "Lou",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 3,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "FROZEN",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": "2026-07-15T10:00:00.000Z",
                     *         "reason": "A broken leg"
                     *       },
                     *       "email": "lou@iron.test",
                     *       "emailVerified": false,
                     *       "suspension": {
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "reason": "Abuse of other members"
                     *       },
                     *       "qrCode": "FIT-1c48a6b5e9f132a968b2de93d8b"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000007",
                     *         "userId": "01900000-0000-7000-9000-000000000007",
                     *         "email": "kim@iron.test",
                     *         "displayName": "Kim",
                     *         "role": "MEMBER",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "sentAt": null,
                     *         "expiresAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "kim@iron.test",
                 *       "displayName": "Kim"
                 *     }
                 */
                "application/json": {
                    /** @description Only for a service of the platform, which chooses the id so that a repeated request creates no second invitation. */
                    id?: string | null;
                    /** @description The address to which the mail is sent: at most 254 characters. No account may have it yet. */
                    email: string;
                    /** @description The name that other users see: at most 80 characters. */
                    displayName: string;
                    /**
                     * @description What the user may do on the platform. Default MEMBER; a GYM_ADMIN may invite members only.
                     *     - `MEMBER`: Trains at a gym.
                     *     - `GYM_ADMIN`: Manages one gym.
                     *     - `SUPER_ADMIN`: Manages the platform.
                     */
                    role?: ("MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN") | null;
                    /** @description The gym that the user joins. Default for a GYM_ADMIN: their own gym, which is the only one that they may name; for a SUPER_ADMIN: none. */
                    gymId?: string | null;
                };
            };
        };
        responses: {
            /** @description The new user. The mail is sent afterwards. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000007",
                     *       "displayName": "Kim",
                     *       "bio": null,
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "avatar": null,
                     *       "locale": "en",
                     *       "timezone": "UTC",
                     *       "units": "METRIC",
                     *       "version": 1,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "membership": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "ACTIVE",
                     *         "since": "2026-06-15T10:00:00.000Z",
                     *         "until": null,
                     *         "reason": null
                     *       },
                     *       "email": "kim@iron.test",
                     *       "emailVerified": false,
                     *       "suspension": null,
                     *       "qrCode": "FIT-7b08bcaf53c08d03d08b9470ff1",
                     *       "userId": "01900000-0000-7000-9000-000000000007",
                     *       "sentAt": null,
                     *       "expiresAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mail is sent afterwards. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000007",
                     *       "userId": "01900000-0000-7000-9000-000000000007",
                     *       "email": "kim@iron.test",
                     *       "displayName": "Kim",
                     *       "role": "MEMBER",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "sentAt": null,
                     *       "expiresAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can no longer be accepted; an account without a password is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportMyData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records, by service and kind. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exportedAt": "2026-06-15T10:00:00.000Z",
                     *       "services": {
                     *         "identity": {
                     *           "user": {
                     *             "id": "01900000-0000-7000-9000-000000000001",
                     *             "displayName": "Nora",
                     *             "bio": "Rower",
                     *             "role": "MEMBER",
                     *             "gymId": "01900000-0000-7000-8000-000000000001",
                     *             "avatar": "/avatars/01900000-0000-7000-9000-000000000006.webp",
                     *             "locale": "de",
                     *             "timezone": "Europe/Berlin",
                     *             "units": "METRIC",
                     *             "version": 7,
                     *             "createdAt": "2026-06-15T10:00:00.000Z",
                     *             "updatedAt": "2026-06-15T10:00:00.000Z",
                     *             "membership": {
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "status": "ACTIVE",
                     *               "since": "2026-06-15T10:00:00.000Z",
                     *               "until": null,
                     *               "reason": null
                     *             },
                     *             "email": "nora@iron.test",
                     *             "emailVerified": true,
                     *             "qrCode": "FIT-fff839461e4855818effe585c84",
                     *             "body": null,
                     *             "trainingGoals": null
                     *           },
                     *           "events": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000013",
                     *               "type": "member.joined",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": null,
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "en",
                     *                 "version": 1,
                     *                 "timezone": "UTC",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000014",
                     *               "type": "member.updated",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": "Rower",
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "de",
                     *                 "version": 5,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             }
                     *           ],
                     *           "sessions": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000015",
                     *               "createdAt": "2026-06-15T10:00:00.000Z",
                     *               "lastUsedAt": "2026-06-15T10:00:00.000Z",
                     *               "expiresAt": "2026-07-15T10:00:00.000Z",
                     *               "userAgent": "node",
                     *               "address": "127.0.0.1"
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000003",
                     *               "createdAt": "2026-06-15T10:00:00.000Z",
                     *               "lastUsedAt": "2026-06-15T10:00:00.000Z",
                     *               "expiresAt": "2026-07-15T10:00:00.000Z",
                     *               "userAgent": "node",
                     *               "address": "127.0.0.1"
                     *             }
                     *           ],
                     *           "passwordResets": [],
                     *           "emailVerifications": [],
                     *           "gymInvitations": [],
                     *           "auditEvents": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000016",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "EMAIL_VERIFIED",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {}
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000017",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "LOGGED_IN",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {}
                     *             }
                     *           ]
                     *         },
                     *         "gym": {
                     *           "checkIns": [],
                     *           "deniedCheckIns": [],
                     *           "challenges": [],
                     *           "posts": [],
                     *           "comments": [],
                     *           "likes": [],
                     *           "reports": [],
                     *           "announcements": [],
                     *           "auditEvents": [],
                     *           "events": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000013",
                     *               "type": "member.joined",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": null,
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "en",
                     *                 "version": 1,
                     *                 "timezone": "UTC",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000014",
                     *               "type": "member.updated",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": "Rower",
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "de",
                     *                 "version": 5,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "nutrition": {
                     *           "foodLogs": [],
                     *           "goals": [],
                     *           "foods": [],
                     *           "foodFavourites": [],
                     *           "imports": []
                     *         },
                     *         "content": {},
                     *         "squad": {
                     *           "presence": [],
                     *           "squads": [],
                     *           "messages": [],
                     *           "messageReports": [],
                     *           "history": [],
                     *           "invitesReceived": [],
                     *           "invitesSent": [],
                     *           "blocks": [],
                     *           "groups": [],
                     *           "activities": []
                     *         },
                     *         "wizard": {
                     *           "sessions": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AccountDocument"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMyExports: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exports that have not expired. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000018",
                     *         "requestedAt": "2026-06-15T10:00:00.000Z",
                     *         "finishedAt": "2026-06-15T10:00:00.000Z",
                     *         "expiresAt": "2026-06-22T10:00:00.000Z",
                     *         "parts": [
                     *           {
                     *             "service": "identity",
                     *             "status": "DONE"
                     *           },
                     *           {
                     *             "service": "gym",
                     *             "status": "DONE"
                     *           }
                     *         ],
                     *         "document": "/users/me/exports/01900000-0000-7000-9000-000000000018/document"
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000019",
                     *         "requestedAt": "2026-06-15T10:00:00.000Z",
                     *         "finishedAt": "2026-06-15T10:00:00.000Z",
                     *         "expiresAt": "2026-06-15T10:10:00.000Z",
                     *         "parts": [
                     *           {
                     *             "service": "identity",
                     *             "status": "DONE"
                     *           },
                     *           {
                     *             "service": "gym",
                     *             "status": "DONE"
                     *           }
                     *         ],
                     *         "document": "/users/me/exports/01900000-0000-7000-9000-000000000019/document"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AccountExport"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requestMyExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The running export. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000018",
                     *       "requestedAt": "2026-06-15T10:00:00.000Z",
                     *       "finishedAt": null,
                     *       "expiresAt": "2026-06-22T10:00:00.000Z",
                     *       "parts": [
                     *         {
                     *           "service": "identity",
                     *           "status": "PENDING"
                     *         },
                     *         {
                     *           "service": "gym",
                     *           "status": "PENDING"
                     *         }
                     *       ],
                     *       "document": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountExport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMyExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000018",
                     *       "requestedAt": "2026-06-15T10:00:00.000Z",
                     *       "finishedAt": "2026-06-15T10:00:00.000Z",
                     *       "expiresAt": "2026-06-22T10:00:00.000Z",
                     *       "parts": [
                     *         {
                     *           "service": "identity",
                     *           "status": "DONE"
                     *         },
                     *         {
                     *           "service": "gym",
                     *           "status": "DONE"
                     *         }
                     *       ],
                     *       "document": "/users/me/exports/01900000-0000-7000-9000-000000000018/document"
                     *     }
                     */
                    "application/json": components["schemas"]["AccountExport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMyExportDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records, by service and kind. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exportedAt": "2026-06-15T10:00:00.000Z",
                     *       "services": {
                     *         "identity": {
                     *           "user": {
                     *             "id": "01900000-0000-7000-9000-000000000001",
                     *             "displayName": "Nora",
                     *             "bio": "Rower",
                     *             "role": "MEMBER",
                     *             "gymId": "01900000-0000-7000-8000-000000000001",
                     *             "avatar": "/avatars/01900000-0000-7000-9000-000000000006.webp",
                     *             "locale": "de",
                     *             "timezone": "Europe/Berlin",
                     *             "units": "METRIC",
                     *             "version": 7,
                     *             "createdAt": "2026-06-15T10:00:00.000Z",
                     *             "updatedAt": "2026-06-15T10:00:00.000Z",
                     *             "membership": {
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "status": "ACTIVE",
                     *               "since": "2026-06-15T10:00:00.000Z",
                     *               "until": null,
                     *               "reason": null
                     *             },
                     *             "email": "nora@iron.test",
                     *             "emailVerified": true,
                     *             "qrCode": "FIT-fff839461e4855818effe585c84",
                     *             "body": null,
                     *             "trainingGoals": null
                     *           },
                     *           "events": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000013",
                     *               "type": "member.joined",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": null,
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "en",
                     *                 "version": 1,
                     *                 "timezone": "UTC",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000014",
                     *               "type": "member.updated",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": "Rower",
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "de",
                     *                 "version": 5,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             }
                     *           ],
                     *           "sessions": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000015",
                     *               "createdAt": "2026-06-15T10:00:00.000Z",
                     *               "lastUsedAt": "2026-06-15T10:00:00.000Z",
                     *               "expiresAt": "2026-07-15T10:00:00.000Z",
                     *               "userAgent": "node",
                     *               "address": "127.0.0.1"
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000003",
                     *               "createdAt": "2026-06-15T10:00:00.000Z",
                     *               "lastUsedAt": "2026-06-15T10:00:00.000Z",
                     *               "expiresAt": "2026-07-15T10:00:00.000Z",
                     *               "userAgent": "node",
                     *               "address": "127.0.0.1"
                     *             }
                     *           ],
                     *           "passwordResets": [],
                     *           "emailVerifications": [],
                     *           "gymInvitations": [],
                     *           "auditEvents": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000016",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "EMAIL_VERIFIED",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {}
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000017",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "LOGGED_IN",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {}
                     *             }
                     *           ]
                     *         },
                     *         "gym": {
                     *           "checkIns": [],
                     *           "deniedCheckIns": [],
                     *           "challenges": [],
                     *           "posts": [],
                     *           "comments": [],
                     *           "likes": [],
                     *           "reports": [],
                     *           "announcements": [],
                     *           "auditEvents": [],
                     *           "events": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000013",
                     *               "type": "member.joined",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": null,
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "en",
                     *                 "version": 1,
                     *                 "timezone": "UTC",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000014",
                     *               "type": "member.updated",
                     *               "gymId": "01900000-0000-7000-8000-000000000001",
                     *               "subject": "member/01900000-0000-7000-9000-000000000001",
                     *               "occurredAt": "2026-06-15T10:00:00.000Z",
                     *               "data": {
                     *                 "id": "01900000-0000-7000-9000-000000000001",
                     *                 "bio": "Rower",
                     *                 "role": "MEMBER",
                     *                 "email": "nora@iron.test",
                     *                 "gymId": "01900000-0000-7000-8000-000000000001",
                     *                 "units": "METRIC",
                     *                 "avatar": null,
                     *                 "locale": "de",
                     *                 "version": 5,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
                     *                 "membership": {
                     *                   "gymId": "01900000-0000-7000-8000-000000000001",
                     *                   "since": "2026-06-15T10:00:00.000Z",
                     *                   "until": null,
                     *                   "reason": null,
                     *                   "status": "ACTIVE"
                     *                 },
                     *                 "displayName": "Nora"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "nutrition": {
                     *           "foodLogs": [],
                     *           "goals": [],
                     *           "foods": [],
                     *           "foodFavourites": [],
                     *           "imports": []
                     *         },
                     *         "content": {},
                     *         "squad": {
                     *           "presence": [],
                     *           "squads": [],
                     *           "messages": [],
                     *           "messageReports": [],
                     *           "history": [],
                     *           "invitesReceived": [],
                     *           "invitesSent": [],
                     *           "blocks": [],
                     *           "groups": [],
                     *           "activities": []
                     *         },
                     *         "wizard": {
                     *           "sessions": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AccountDocument"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDeletionReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What each service deleted, anonymised or retained. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000020",
                     *       "requestedAt": "2026-06-15T10:00:00.000Z",
                     *       "finishedAt": "2026-06-15T10:00:00.000Z",
                     *       "parts": [
                     *         {
                     *           "reason": "The audit trail keeps the id of the account, without name, email or network address, because it must show who had which rights. Events of the last month keep the id only, because the systems of the gym must learn which member to remove. Mails that were sent, or written to the outbox, are not recalled. Everything else is deleted.",
                     *           "outcome": "RETAINED",
                     *           "service": "identity"
                     *         },
                     *         {
                     *           "reason": null,
                     *           "outcome": "DELETED",
                     *           "service": "gym"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AccountDeletion"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description Only actions on this user. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000009",
                     *         "at": "2026-06-15T10:00:00.000Z",
                     *         "action": "GYM_CHANGED",
                     *         "actor": "user:01900000-0000-7000-8000-000000000101",
                     *         "subjectId": "01900000-0000-7000-9000-000000000008",
                     *         "details": {
                     *           "to": "01900000-0000-7000-8000-000000000002",
                     *           "from": "01900000-0000-7000-8000-000000000001"
                     *         }
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000010",
                     *         "at": "2026-06-15T10:00:00.000Z",
                     *         "action": "ROLE_CHANGED",
                     *         "actor": "user:01900000-0000-7000-8000-000000000101",
                     *         "subjectId": "01900000-0000-7000-9000-000000000008",
                     *         "details": {
                     *           "to": "GYM_ADMIN",
                     *           "from": "MEMBER"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditEvent"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getClientToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "01900000-0000-7000-9000-000000000012",
                 *       "client_secret": "5206a4fc9c89feae45e88079c72c7962e648f795cfa",
                 *       "scope": "check-in"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Always `client_credentials`.
                     * @constant
                     */
                    grant_type: "client_credentials";
                    /** @description The id of a machine client, or the name of a service. Required without HTTP Basic authentication. */
                    client_id?: string;
                    /** @description The secret of the machine client, or the service secret. Required without HTTP Basic authentication. */
                    client_secret?: string;
                    /** @description For a machine client: some of its scopes. */
                    scope?: string;
                };
                "application/x-www-form-urlencoded": {
                    /**
                     * @description Always `client_credentials`.
                     * @constant
                     */
                    grant_type: "client_credentials";
                    /** @description The id of a machine client, or the name of a service. Required without HTTP Basic authentication. */
                    client_id?: string;
                    /** @description The secret of the machine client, or the service secret. Required without HTTP Basic authentication. */
                    client_secret?: string;
                    /** @description For a machine client: some of its scopes. */
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description An access token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl",
                     *       "token_type": "Bearer",
                     *       "expires_in": 900,
                     *       "scope": "check-in"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientToken"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApiClients: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of clients, without secrets. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000012",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "name": "Turnstile at Forge",
                     *         "scopes": [
                     *           "check-in",
                     *           "occupancy:read"
                     *         ],
                     *         "locationId": "01900000-0000-7000-8301-030100000001",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "lastUsedAt": null,
                     *         "expiresAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiClient"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApiClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Turnstile at Forge",
                 *       "scopes": [
                 *         "check-in",
                 *         "occupancy:read"
                 *       ],
                 *       "locationId": "01900000-0000-7000-8301-030100000001"
                 *     }
                 */
                "application/json": {
                    /** @description The name that the admins of the gym see: at most 100 characters. */
                    name: string;
                    /** @description What the client may do: at least one of `check-in`, `visits:read`, `occupancy:read`, `members:read`, `content:read`, each at most once. */
                    scopes: ("check-in" | "visits:read" | "occupancy:read" | "members:read" | "members:write" | "content:read" | "webhooks" | "events:read")[];
                    /** @description The only location of the gym at which the client may act. Default: all of them. */
                    locationId?: string | null;
                    /** @description The client gets no token from then on; a time in the future. Default: it does not expire. */
                    expiresAt?: string | null;
                    /** @description Required from a SUPER_ADMIN. A GYM_ADMIN creates clients of their own gym only. */
                    gymId?: string | null;
                };
            };
        };
        responses: {
            /** @description The client with its secret, which is in no other answer. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000012",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Turnstile at Forge",
                     *       "scopes": [
                     *         "check-in",
                     *         "occupancy:read"
                     *       ],
                     *       "locationId": "01900000-0000-7000-8301-030100000001",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "lastUsedAt": null,
                     *       "expiresAt": null,
                     *       "secret": "5206a4fc9c89feae45e88079c72c7962e648f795cfa"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiClientWithSecret"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateApiClientSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000012",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Turnstile at Forge",
                     *       "scopes": [
                     *         "check-in",
                     *         "occupancy:read"
                     *       ],
                     *       "locationId": "01900000-0000-7000-8301-030100000001",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "lastUsedAt": "2026-06-15T10:00:00.000Z",
                     *       "expiresAt": null,
                     *       "secret": "2ed9822be4ad45ce1c9ce91a39e3b08caad719293d9"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiClientWithSecret"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteApiClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identityRemoveReferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The entity's type in the graph, such as `Product`. */
                typeName: string;
                /** @description The id of the removed entity. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No row of this service refers to the entity. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identityListEvents: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer; the answer then has the events after it. `latest`: no events, only `next`. Default: the oldest events that are kept. */
                after?: string;
                /** @description Only these types, separated by commas. Default: all that the caller may read. `check_in.opened` (scope visits:read), `check_in.closed` (scope visits:read), `check_in.undone` (scope visits:read), `check_in.denied` (scope visits:read), `occupancy.level_changed` (scope occupancy:read), `challenge.ended`, `gym_config.published`, `gym.deployed`, `member.joined` (scope members:read), `member.updated` (scope members:read), `member.removed` (scope members:read), `product.changed` (scope content:read). */
                types?: string;
                /** @description Events in the answer, at most 200. Default 50. */
                limit?: number;
                /** @description If there are no events, the answer is sent at the next event, or after this number of seconds; at most 20. Default 0. */
                wait?: number;
                /** @description For a SUPER_ADMIN: the gym; without it, the answer has the events of all gyms. Every other caller may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, and the cursor after them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [],
                     *       "next": "82dbc4681e280b749ca508bb9dc2cb8"
                     *     }
                     */
                    "application/json": components["schemas"]["identity.EventPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mailStaff: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "gymId": "01900000-0000-7000-8000-000000000001",
                 *       "subject": "A webhook was switched off",
                 *       "text": "It failed for 3 days."
                 *     }
                 */
                "application/json": {
                    /** @description Null: to the SUPER_ADMINs. */
                    gymId: string | null;
                    /** @description The subject of the mail. */
                    subject: string;
                    /** @description The text of the mail. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description The mail is sent. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "EC",
                     *           "x": "69433b1ac39cca3088edb95f49979777fcfdd15aa33",
                     *           "y": "477a6aa6e10f2cefb5cb1b48fae90ad75e17fa2d49a",
                     *           "crv": "P-256",
                     *           "kid": "cad8b61f5cf201d433a5b597f55e2a2b882879d21f7",
                     *           "use": "sig",
                     *           "alg": "ES256"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description The public keys that verify access tokens, as JSON Web Keys (RFC 7517). */
                        keys: {
                            [key: string]: unknown;
                        }[];
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateSigningKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kid": "5fed0b12362a4ecd9283c7dae17285c3f592452550c",
                     *       "signsFrom": "2026-06-15T10:10:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description The id of the key in the published key set. */
                        kid: string;
                        /**
                         * Format: date-time
                         * @description The key is already published, and signs from this time on.
                         */
                        signsFrom: string;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identityListJobs: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description `true`: only jobs that have failed for good; `false`: only the others. */
                failed?: "true" | "false";
                /** @description Only jobs with this name. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5",
                     *         "name": "remove_failed_jobs",
                     *         "attempts": 0,
                     *         "maxAttempts": 25,
                     *         "error": null,
                     *         "status": "PENDING",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "runAt": "2026-06-16T10:00:00.000Z",
                     *         "payload": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Job"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identityRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job begins as soon as a worker is free. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5",
                     *       "name": "remove_failed_jobs",
                     *       "attempts": 0,
                     *       "maxAttempts": 25,
                     *       "error": null,
                     *       "status": "PENDING",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "runAt": "2026-06-15T10:00:00.000Z",
                     *       "payload": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGyms: {
        parameters: {
            query?: {
                /** @description Only gyms of this name, without regard to case. */
                name?: string;
                /** @description With `false`, for a SUPER_ADMIN: the gyms that are not active. */
                active?: "true" | "false";
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gyms. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8000-000000000002",
                     *         "slug": "aqua-club",
                     *         "name": "Aqua Club",
                     *         "timezone": "America/New_York",
                     *         "joinPolicy": "OPEN",
                     *         "active": true,
                     *         "version": 1,
                     *         "config": {
                     *           "gymId": "01900000-0000-7000-8000-000000000002",
                     *           "theme": {
                     *             "colors": {
                     *               "text": "#111111",
                     *               "primary": "#0284c7",
                     *               "secondary": "#0f766e",
                     *               "background": "#ffffff"
                     *             },
                     *             "spacing": {
                     *               "unit": 8
                     *             },
                     *             "typography": {
                     *               "baseSize": 16,
                     *               "fontFamily": "Inter"
                     *             }
                     *           },
                     *           "assets": {
                     *             "icon": "https://assets.example.test/aqua-icon-0284c7.png",
                     *             "logo": "https://assets.example.test/aqua-logo-0284c7.png",
                     *             "splash": "https://assets.example.test/aqua-splash-0284c7.png"
                     *           },
                     *           "features": {
                     *             "feed": true,
                     *             "shop": true,
                     *             "squad": true,
                     *             "wizard": true,
                     *             "content": true,
                     *             "nutrition": true,
                     *             "challenges": true
                     *           },
                     *           "version": 1,
                     *           "updatedAt": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8000-000000000001",
                     *         "slug": "iron-temple",
                     *         "name": "Iron Temple",
                     *         "timezone": "Europe/Berlin",
                     *         "joinPolicy": "OPEN",
                     *         "active": true,
                     *         "version": 1,
                     *         "config": {
                     *           "gymId": "01900000-0000-7000-8000-000000000001",
                     *           "theme": {
                     *             "colors": {
                     *               "text": "#111111",
                     *               "primary": "#b91c1c",
                     *               "secondary": "#1f2937",
                     *               "background": "#ffffff"
                     *             },
                     *             "spacing": {
                     *               "unit": 8
                     *             },
                     *             "typography": {
                     *               "baseSize": 16,
                     *               "fontFamily": "Inter"
                     *             }
                     *           },
                     *           "assets": {
                     *             "icon": "https://assets.example.test/iron-icon-b91c1c.png",
                     *             "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *             "splash": "https://assets.example.test/iron-splash-b91c1c.png"
                     *           },
                     *           "features": {
                     *             "feed": true,
                     *             "shop": true,
                     *             "squad": true,
                     *             "wizard": true,
                     *             "content": true,
                     *             "nutrition": true,
                     *             "challenges": true
                     *           },
                     *           "version": 1,
                     *           "updatedAt": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Gym"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createGym: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "North Side",
                 *       "slug": "north-side"
                 *     }
                 */
                "application/json": {
                    /** @description Only for a service of the platform, which chooses the id so that a repeated request creates no second gym. */
                    id?: string | null;
                    /** @description Only for a service of the platform: with false, only that service can see and use the gym until it is opened. Default true. */
                    opened?: boolean | null;
                    /** @description The name that users see: 2 to 120 characters. */
                    name: string;
                    /** @description Short name for URLs: 3 to 63 lower-case letters, digits and hyphens; unique. */
                    slug: string;
                    /** @description IANA time zone of the gym itself. Default: UTC. */
                    timezone?: string | null;
                    /**
                     * @description Who may join the gym without its staff. Default: OPEN.
                     *     - `OPEN`: Everybody.
                     *     - `VERIFIED_EMAIL`: Everybody, once they have verified their email.
                     *     - `APPROVAL`: Everybody whom the staff have admitted.
                     *     - `INVITE`: Only people whom the staff have invited.
                     */
                    joinPolicy?: ("OPEN" | "VERIFIED_EMAIL" | "APPROVAL" | "INVITE") | null;
                    /** @description The theme, as `GymConfig.theme` describes it. Default: empty. */
                    theme?: ({
                        /** @description Colours by their use: `#rgb`, `#rrggbb` or `#rrggbbaa`. */
                        colors?: {
                            /** @description The main colour of the gym. */
                            primary?: string;
                            /** @description The second colour of the gym. */
                            secondary?: string;
                            /** @description The colour behind texts. */
                            background?: string;
                            /** @description The colour of texts. */
                            text?: string;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description Fonts and their sizes. */
                        typography?: {
                            /** @description The fonts, as in CSS `font-family`. */
                            fontFamily?: string;
                            /** @description The size of texts in CSS pixels. */
                            baseSize?: number;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @description Distances between parts of a page. */
                        spacing?: {
                            /** @description The smallest distance in CSS pixels, of which others are multiples. */
                            unit?: number;
                        } & {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    }) | null;
                    /** @description The assets, as `GymConfig.assets` describes them. Default: empty. */
                    assets?: ({
                        /** @description The address of the logo. */
                        logo?: string;
                        /** @description The address of the picture that an app shows while it starts. */
                        splash?: string;
                        /** @description The address of the app's icon. */
                        icon?: string;
                    } & {
                        [key: string]: unknown;
                    }) | null;
                    /** @description The feature switches, as `GymConfig.features` describes them. Default: every module is on. */
                    features?: {
                        [key: string]: boolean;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The gym. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "slug": "north-side",
                     *       "name": "North Side",
                     *       "timezone": "UTC",
                     *       "joinPolicy": "OPEN",
                     *       "active": true,
                     *       "version": 1,
                     *       "config": {
                     *         "gymId": "01900000-0000-7000-9000-000000000001",
                     *         "theme": {},
                     *         "assets": {},
                     *         "features": {},
                     *         "version": 1,
                     *         "updatedAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Gym"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getGym: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gym. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8000-000000000001",
                     *       "slug": "iron-temple",
                     *       "name": "Iron Temple",
                     *       "timezone": "Europe/Berlin",
                     *       "joinPolicy": "OPEN",
                     *       "active": true,
                     *       "version": 1,
                     *       "config": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "theme": {
                     *           "colors": {
                     *             "text": "#111111",
                     *             "primary": "#b91c1c",
                     *             "secondary": "#1f2937",
                     *             "background": "#ffffff"
                     *           },
                     *           "spacing": {
                     *             "unit": 8
                     *           },
                     *           "typography": {
                     *             "baseSize": 16,
                     *             "fontFamily": "Inter"
                     *           }
                     *         },
                     *         "assets": {
                     *           "icon": "https://assets.example.test/iron-icon-b91c1c.png",
                     *           "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *           "splash": "https://assets.example.test/iron-splash-b91c1c.png"
                     *         },
                     *         "features": {
                     *           "feed": true,
                     *           "shop": true,
                     *           "squad": true,
                     *           "wizard": true,
                     *           "content": true,
                     *           "nutrition": true,
                     *           "challenges": true
                     *         },
                     *         "version": 1,
                     *         "updatedAt": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Gym"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateGym: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The gym's id. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "joinPolicy": "OPEN"
                 *     }
                 */
                "application/json": {
                    /** @description The name that users see: 2 to 120 characters. */
                    name?: string | null;
                    /** @description IANA time zone of the gym itself. */
                    timezone?: string | null;
                    /**
                     * @description Who may join the gym without its staff. It decides about those who join from then on.
                     *     - `OPEN`: Everybody.
                     *     - `VERIFIED_EMAIL`: Everybody, once they have verified their email.
                     *     - `APPROVAL`: Everybody whom the staff have admitted.
                     *     - `INVITE`: Only people whom the staff have invited.
                     */
                    joinPolicy?: ("OPEN" | "VERIFIED_EMAIL" | "APPROVAL" | "INVITE") | null;
                    /** @description Only for SUPER_ADMIN. False: nobody joins or checks in, and nothing is added; what is stored can be read. */
                    active?: boolean | null;
                    /** @description The version on which the change is based; `VERSION_CONFLICT` if the stored one differs. Absent: the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed gym. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8000-000000000001",
                     *       "slug": "iron-temple",
                     *       "name": "Iron Temple",
                     *       "timezone": "Europe/Berlin",
                     *       "joinPolicy": "OPEN",
                     *       "active": true,
                     *       "version": 2,
                     *       "config": {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "theme": {
                     *           "colors": {
                     *             "text": "#111111",
                     *             "primary": "#b91c1c",
                     *             "secondary": "#1f2937",
                     *             "background": "#ffffff"
                     *           },
                     *           "spacing": {
                     *             "unit": 8
                     *           },
                     *           "typography": {
                     *             "baseSize": 16,
                     *             "fontFamily": "Inter"
                     *           }
                     *         },
                     *         "assets": {
                     *           "icon": "https://assets.example.test/iron-icon-b91c1c.png",
                     *           "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *           "splash": "https://assets.example.test/iron-splash-b91c1c.png"
                     *         },
                     *         "features": {
                     *           "feed": true,
                     *           "shop": true,
                     *           "squad": true,
                     *           "wizard": true,
                     *           "content": true,
                     *           "nutrition": true,
                     *           "challenges": true
                     *         },
                     *         "version": 1,
                     *         "updatedAt": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Gym"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawGym: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The gym's id. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gym is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openGym: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The gym's id. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gym, now visible to everybody. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "slug": "south-side",
                     *       "name": "South Side",
                     *       "timezone": "UTC",
                     *       "joinPolicy": "OPEN",
                     *       "active": true,
                     *       "version": 1,
                     *       "config": {
                     *         "gymId": "01900000-0000-7000-9000-000000000002",
                     *         "theme": {},
                     *         "assets": {},
                     *         "features": {},
                     *         "version": 1,
                     *         "updatedAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Gym"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getGymConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Theme, assets and features. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "theme": {
                     *         "colors": {
                     *           "text": "#111111",
                     *           "primary": "#b91c1c",
                     *           "secondary": "#1f2937",
                     *           "background": "#ffffff"
                     *         },
                     *         "spacing": {
                     *           "unit": 8
                     *         },
                     *         "typography": {
                     *           "baseSize": 16,
                     *           "fontFamily": "Inter"
                     *         }
                     *       },
                     *       "assets": {
                     *         "icon": "https://assets.example.test/iron-icon-b91c1c.png",
                     *         "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *         "splash": "https://assets.example.test/iron-splash-b91c1c.png"
                     *       },
                     *       "features": {
                     *         "feed": true,
                     *         "shop": true,
                     *         "squad": true,
                     *         "wizard": true,
                     *         "content": true,
                     *         "nutrition": true,
                     *         "challenges": true
                     *       },
                     *       "version": 1,
                     *       "updatedAt": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GymConfig"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publishGymConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "gymId": "01900000-0000-7000-8000-000000000001",
                 *       "features": {
                 *         "shop": true
                 *       },
                 *       "theme": {
                 *         "colors": {
                 *           "secondary": "#111827"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description The gym's id or slug. */
                    gymId: string;
                    /** @description Changes of the theme; null empties it. The result has at most 65,536 characters of JSON. */
                    theme?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Changes of the assets; null removes them all. The result has at most 65,536 characters of JSON. */
                    assets?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Changes of the feature switches; null removes them all, so that every module is on. The result has at most 65,536 characters of JSON. */
                    features?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description The published version on which the change is based; without it the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The published configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "theme": {
                     *         "colors": {
                     *           "primary": "#7c3aed",
                     *           "secondary": "#111827",
                     *           "background": "#ffffff",
                     *           "text": "#111111"
                     *         },
                     *         "typography": {
                     *           "fontFamily": "Inter",
                     *           "baseSize": 16
                     *         },
                     *         "spacing": {
                     *           "unit": 8
                     *         }
                     *       },
                     *       "assets": {
                     *         "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *         "splash": "https://assets.example.test/iron-splash-b91c1c.png",
                     *         "icon": "https://assets.example.test/iron-icon-b91c1c.png"
                     *       },
                     *       "features": {
                     *         "feed": true,
                     *         "shop": true,
                     *         "squad": true,
                     *         "wizard": true,
                     *         "content": true,
                     *         "nutrition": true,
                     *         "challenges": true
                     *       },
                     *       "version": 3,
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GymConfig"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getGymConfigDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The draft. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "theme": {
                     *         "colors": {
                     *           "text": "#111111",
                     *           "primary": "#7c3aed",
                     *           "secondary": "#1f2937",
                     *           "background": "#ffffff"
                     *         },
                     *         "spacing": {
                     *           "unit": 8
                     *         },
                     *         "typography": {
                     *           "baseSize": 16,
                     *           "fontFamily": "Inter"
                     *         }
                     *       },
                     *       "assets": {
                     *         "icon": "https://assets.example.test/iron-icon-b91c1c.png",
                     *         "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *         "splash": "https://assets.example.test/iron-splash-b91c1c.png"
                     *       },
                     *       "features": {
                     *         "feed": true,
                     *         "shop": true,
                     *         "squad": true,
                     *         "wizard": true,
                     *         "content": true,
                     *         "nutrition": true,
                     *         "challenges": true
                     *       },
                     *       "basedOnVersion": 1,
                     *       "version": 1,
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GymConfigDraft"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveGymConfigDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "theme": {
                 *         "colors": {
                 *           "primary": "#7c3aed"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Changes of the theme; null empties it. The result has at most 65,536 characters of JSON. */
                    theme?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Changes of the assets; null removes them all. The result has at most 65,536 characters of JSON. */
                    assets?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Changes of the feature switches; null removes them all, so that every module is on. The result has at most 65,536 characters of JSON. */
                    features?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description The version of the draft on which the change is based; without it the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The draft. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "theme": {
                     *         "colors": {
                     *           "primary": "#7c3aed",
                     *           "secondary": "#1f2937",
                     *           "background": "#ffffff",
                     *           "text": "#111111"
                     *         },
                     *         "typography": {
                     *           "fontFamily": "Inter",
                     *           "baseSize": 16
                     *         },
                     *         "spacing": {
                     *           "unit": 8
                     *         }
                     *       },
                     *       "assets": {
                     *         "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *         "splash": "https://assets.example.test/iron-splash-b91c1c.png",
                     *         "icon": "https://assets.example.test/iron-icon-b91c1c.png"
                     *       },
                     *       "features": {
                     *         "feed": true,
                     *         "shop": true,
                     *         "squad": true,
                     *         "wizard": true,
                     *         "content": true,
                     *         "nutrition": true,
                     *         "challenges": true
                     *       },
                     *       "basedOnVersion": 1,
                     *       "version": 1,
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GymConfigDraft"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publishGymConfigDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The published configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "theme": {
                     *         "colors": {
                     *           "primary": "#7c3aed",
                     *           "secondary": "#1f2937",
                     *           "background": "#ffffff",
                     *           "text": "#111111"
                     *         },
                     *         "typography": {
                     *           "fontFamily": "Inter",
                     *           "baseSize": 16
                     *         },
                     *         "spacing": {
                     *           "unit": 8
                     *         }
                     *       },
                     *       "assets": {
                     *         "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *         "splash": "https://assets.example.test/iron-splash-b91c1c.png",
                     *         "icon": "https://assets.example.test/iron-icon-b91c1c.png"
                     *       },
                     *       "features": {
                     *         "feed": true,
                     *         "shop": true,
                     *         "squad": true,
                     *         "wizard": true,
                     *         "content": true,
                     *         "nutrition": true,
                     *         "challenges": true
                     *       },
                     *       "version": 2,
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GymConfig"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGymConfigVersions: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "theme": {
                     *           "colors": {
                     *             "text": "#111111",
                     *             "primary": "#b91c1c",
                     *             "secondary": "#1f2937",
                     *             "background": "#ffffff"
                     *           },
                     *           "spacing": {
                     *             "unit": 8
                     *           },
                     *           "typography": {
                     *             "baseSize": 16,
                     *             "fontFamily": "Inter"
                     *           }
                     *         },
                     *         "assets": {
                     *           "icon": "https://assets.example.test/iron-icon-b91c1c.png",
                     *           "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *           "splash": "https://assets.example.test/iron-splash-b91c1c.png"
                     *         },
                     *         "features": {
                     *           "feed": true,
                     *           "shop": true,
                     *           "squad": true,
                     *           "wizard": true,
                     *           "content": true,
                     *           "nutrition": true,
                     *           "challenges": true
                     *         },
                     *         "version": 4,
                     *         "updatedAt": "2026-06-15T10:00:00.000Z"
                     *       },
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "theme": {
                     *           "colors": {
                     *             "text": "#111111",
                     *             "primary": "#7c3aed",
                     *             "secondary": "#111827",
                     *             "background": "#ffffff"
                     *           },
                     *           "spacing": {
                     *             "unit": 8
                     *           },
                     *           "typography": {
                     *             "baseSize": 16,
                     *             "fontFamily": "Inter"
                     *           }
                     *         },
                     *         "assets": {
                     *           "icon": "https://assets.example.test/iron-icon-b91c1c.png",
                     *           "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *           "splash": "https://assets.example.test/iron-splash-b91c1c.png"
                     *         },
                     *         "features": {
                     *           "feed": true,
                     *           "shop": true,
                     *           "squad": true,
                     *           "wizard": true,
                     *           "content": true,
                     *           "nutrition": true,
                     *           "challenges": true
                     *         },
                     *         "version": 3,
                     *         "updatedAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GymConfig"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rollBackGymConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description The version to publish again. */
                    version: number;
                };
            };
        };
        responses: {
            /** @description The published configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "theme": {
                     *         "colors": {
                     *           "primary": "#b91c1c",
                     *           "secondary": "#1f2937",
                     *           "background": "#ffffff",
                     *           "text": "#111111"
                     *         },
                     *         "typography": {
                     *           "fontFamily": "Inter",
                     *           "baseSize": 16
                     *         },
                     *         "spacing": {
                     *           "unit": 8
                     *         }
                     *       },
                     *       "assets": {
                     *         "logo": "https://assets.example.test/iron-logo-b91c1c.png",
                     *         "splash": "https://assets.example.test/iron-splash-b91c1c.png",
                     *         "icon": "https://assets.example.test/iron-icon-b91c1c.png"
                     *       },
                     *       "features": {
                     *         "feed": true,
                     *         "shop": true,
                     *         "squad": true,
                     *         "wizard": true,
                     *         "content": true,
                     *         "nutrition": true,
                     *         "challenges": true
                     *       },
                     *       "version": 4,
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GymConfig"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDesignTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Design Tokens Format Module, 2025.10. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "color": {
                     *         "text": {
                     *           "$type": "color",
                     *           "$value": {
                     *             "colorSpace": "srgb",
                     *             "components": [
                     *               0.0667,
                     *               0.0667
                     *             ],
                     *             "alpha": 1,
                     *             "hex": "#111111"
                     *           }
                     *         },
                     *         "primary": {
                     *           "$type": "color",
                     *           "$value": {
                     *             "colorSpace": "srgb",
                     *             "components": [
                     *               0.7255,
                     *               0.1098
                     *             ],
                     *             "alpha": 1,
                     *             "hex": "#b91c1c"
                     *           }
                     *         },
                     *         "secondary": {
                     *           "$type": "color",
                     *           "$value": {
                     *             "colorSpace": "srgb",
                     *             "components": [
                     *               0.1216,
                     *               0.1608
                     *             ],
                     *             "alpha": 1,
                     *             "hex": "#1f2937"
                     *           }
                     *         },
                     *         "background": {
                     *           "$type": "color",
                     *           "$value": {
                     *             "colorSpace": "srgb",
                     *             "components": [
                     *               1,
                     *               1
                     *             ],
                     *             "alpha": 1,
                     *             "hex": "#ffffff"
                     *           }
                     *         }
                     *       },
                     *       "typography": {
                     *         "baseSize": {
                     *           "$type": "dimension",
                     *           "$value": {
                     *             "value": 16,
                     *             "unit": "px"
                     *           }
                     *         },
                     *         "fontFamily": {
                     *           "$type": "fontFamily",
                     *           "$value": "Inter"
                     *         }
                     *       },
                     *       "spacing": {
                     *         "unit": {
                     *           "$type": "dimension",
                     *           "$value": {
                     *             "value": 8,
                     *             "unit": "px"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/design-tokens+json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLocations: {
        parameters: {
            query?: {
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The locations by name, each with its occupancy. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8301-030100000002",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "name": "Anvil",
                     *         "address": "Ambossplatz 7, Berlin",
                     *         "timezone": "Europe/Berlin",
                     *         "capacity": 40,
                     *         "maxStayMinutes": 90,
                     *         "openingHours": null,
                     *         "version": 1,
                     *         "occupancy": {
                     *           "people": 0,
                     *           "capacity": 40,
                     *           "percent": 0,
                     *           "level": "OK",
                     *           "updatedAt": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8301-030100000001",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "name": "Forge",
                     *         "address": "Hammerweg 1, Berlin",
                     *         "timezone": "Europe/Berlin",
                     *         "capacity": 80,
                     *         "maxStayMinutes": 90,
                     *         "openingHours": null,
                     *         "version": 1,
                     *         "occupancy": {
                     *           "people": 0,
                     *           "capacity": 80,
                     *           "percent": 0,
                     *           "level": "OK",
                     *           "updatedAt": "2026-06-14T11:10:00.000Z"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["LocationWithOccupancy"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Foundry",
                 *       "address": "Amboss 3, Berlin",
                 *       "timezone": "Europe/Berlin",
                 *       "capacity": 60,
                 *       "openingHours": {
                 *         "mon": {
                 *           "opens": "06:30",
                 *           "closes": "22:00"
                 *         },
                 *         "sat": {
                 *           "opens": "09:00",
                 *           "closes": "18:00"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Only for a service of the platform, which chooses the id so that a repeated request creates no second location. */
                    id?: string | null;
                    /** @description The gym, for a SUPER_ADMIN. A GYM_ADMIN may name only their own gym. */
                    gymId?: string | null;
                    /** @description The name that users see: at most 120 characters. */
                    name: string;
                    /** @description The postal address: at most 300 characters. Null if it is unknown. */
                    address?: string | null;
                    /** @description IANA time zone, e.g. `Europe/Berlin`. */
                    timezone: string;
                    /** @description How many people may be inside at once: 1 to 100,000. */
                    capacity: number;
                    /** @description A visit ends automatically after this many minutes: 1 to 1,440. Default 90. */
                    maxStayMinutes?: number | null;
                    /** @description Local times by day, `{"mon": {"opens": "06:30", "closes": "22:00"}}`; a day without times is closed. Null if they are unknown. */
                    openingHours?: {
                        [key: string]: {
                            /** @description Local time, HH:MM. */
                            opens: string;
                            /** @description Local time, HH:MM; `24:00` is midnight. */
                            closes: string;
                        };
                    } | null;
                };
            };
        };
        responses: {
            /** @description The new location. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000004",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Foundry",
                     *       "address": "Amboss 3, Berlin",
                     *       "timezone": "Europe/Berlin",
                     *       "capacity": 60,
                     *       "maxStayMinutes": 90,
                     *       "openingHours": {
                     *         "mon": {
                     *           "opens": "06:30",
                     *           "closes": "22:00"
                     *         },
                     *         "sat": {
                     *           "opens": "09:00",
                     *           "closes": "18:00"
                     *         }
                     *       },
                     *       "version": 1,
                     *       "occupancy": {
                     *         "people": 0,
                     *         "capacity": 60,
                     *         "percent": 0,
                     *         "level": "OK",
                     *         "updatedAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationWithOccupancy"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The location with its occupancy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8301-030100000001",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Forge",
                     *       "address": "Hammerweg 1, Berlin",
                     *       "timezone": "Europe/Berlin",
                     *       "capacity": 80,
                     *       "maxStayMinutes": 90,
                     *       "openingHours": null,
                     *       "version": 1,
                     *       "occupancy": {
                     *         "people": 0,
                     *         "capacity": 80,
                     *         "percent": 0,
                     *         "level": "OK",
                     *         "updatedAt": "2026-06-14T11:10:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationWithOccupancy"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "capacity": 75,
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description The name that users see: at most 120 characters. Null leaves it unchanged. */
                    name?: string | null;
                    /** @description The postal address: at most 300 characters. Null removes it. */
                    address?: string | null;
                    /** @description IANA time zone, e.g. `Europe/Berlin`. Null leaves it unchanged. */
                    timezone?: string | null;
                    /** @description How many people may be inside at once: 1 to 100,000. Null leaves it unchanged. */
                    capacity?: number | null;
                    /** @description A visit that begins from now on ends automatically after this many minutes: 1 to 1,440. Null leaves it unchanged. */
                    maxStayMinutes?: number | null;
                    /** @description Local times by day, `{"mon": {"opens": "06:30", "closes": "22:00"}}`; a day without times is closed. Null removes them all. */
                    openingHours?: {
                        [key: string]: {
                            /** @description Local time, HH:MM. */
                            opens: string;
                            /** @description Local time, HH:MM; `24:00` is midnight. */
                            closes: string;
                        };
                    } | null;
                    /** @description The version on which the change is based; without it the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed location. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000004",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Foundry",
                     *       "address": "Amboss 3, Berlin",
                     *       "timezone": "Europe/Berlin",
                     *       "capacity": 75,
                     *       "maxStayMinutes": 90,
                     *       "openingHours": {
                     *         "mon": {
                     *           "opens": "06:30",
                     *           "closes": "22:00"
                     *         },
                     *         "sat": {
                     *           "opens": "09:00",
                     *           "closes": "18:00"
                     *         }
                     *       },
                     *       "version": 2,
                     *       "occupancy": {
                     *         "people": 0,
                     *         "capacity": 75,
                     *         "percent": 0,
                     *         "level": "OK",
                     *         "updatedAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LocationWithOccupancy"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOccupancy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description People inside, capacity, level. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "people": 0,
                     *       "capacity": 80,
                     *       "percent": 0,
                     *       "level": "OK",
                     *       "updatedAt": "2026-06-14T11:10:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Occupancy"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOccupancyHistory: {
        parameters: {
            query?: {
                /** @description ISO 8601; default: 24 hours before `to`. */
                from?: string;
                /** @description ISO 8601; default: now. */
                to?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry an hour, oldest first; at most 31 days. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "from": "2026-06-14T00:00:00.000Z",
                     *         "peak": 0,
                     *         "checkIns": 0
                     *       },
                     *       {
                     *         "from": "2026-06-14T01:00:00.000Z",
                     *         "peak": 0,
                     *         "checkIns": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["OccupancySample"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOccupancyChart: {
        parameters: {
            query?: {
                /** @description ISO 8601; default: 24 hours before `to`. */
                from?: string;
                /** @description ISO 8601; default: now. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bars by hour, with the capacity as a line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "qrCode": "FIT-07a86d4770426106883d0f432e5",
                 *       "locationId": "01900000-0000-7000-8301-030100000001",
                 *       "source": "app"
                 *     }
                 */
                "application/json": {
                    /** @description The member's check-in code: at most 256 characters. */
                    qrCode: string;
                    /**
                     * Format: uuid
                     * @description The location's id.
                     */
                    locationId: string;
                    /** @description The scanning device, e.g. `kiosk` or `app`: at most 32 characters. */
                    source?: string | null;
                    /** @description Only for staff: lets the member in even if the location is full; audited. Default false. */
                    override?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The visit that was open already, with `duplicate: true`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedIn"];
                };
            };
            /** @description The visit. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000005",
                     *       "userId": "01900000-0000-7000-8000-000000000103",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "locationId": "01900000-0000-7000-8301-030100000001",
                     *       "checkedInAt": "2026-06-15T10:00:00.000Z",
                     *       "checkedOutAt": null,
                     *       "source": "app",
                     *       "method": "QR",
                     *       "duplicate": false
                     *     }
                     */
                    "application/json": components["schemas"]["CheckedIn"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "qrCode": "FIT-07a86d4770426106883d0f432e5"
                 *     }
                 */
                "application/json": {
                    /** @description The member's check-in code: at most 256 characters. Members present only their own code. */
                    qrCode?: string | null;
                    /** @description The member's id. Members may name only themselves. */
                    userId?: string | null;
                    /** @description Ends the visit only if it is at this location; absent: at any location. */
                    locationId?: string | null;
                };
            };
        };
        responses: {
            /** @description The ended visit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000005",
                     *       "userId": "01900000-0000-7000-8000-000000000103",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "locationId": "01900000-0000-7000-8301-030100000001",
                     *       "checkedInAt": "2026-06-15T10:00:00.000Z",
                     *       "checkedOutAt": "2026-06-15T10:00:00.000Z",
                     *       "source": "app",
                     *       "method": "QR",
                     *       "duplicate": false
                     *     }
                     */
                    "application/json": components["schemas"]["CheckIn"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVisits: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The member whose visits are listed. Default: the caller. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of visits. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000005",
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "locationId": "01900000-0000-7000-8301-030100000001",
                     *         "checkedInAt": "2026-06-15T10:00:00.000Z",
                     *         "checkedOutAt": null,
                     *         "source": "app",
                     *         "method": "QR",
                     *         "duplicate": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CheckIn"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undoCheckIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visit no longer counts. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDenials: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of denials, each with its reason. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000006",
                     *         "locationId": "01900000-0000-7000-8301-030100000001",
                     *         "userId": null,
                     *         "reason": "QR_UNKNOWN",
                     *         "presentedBy": "01900000-0000-7000-8000-000000000102",
                     *         "deniedAt": "2026-06-15T10:00:00.000Z",
                     *         "count": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CheckInDenial"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChallenges: {
        parameters: {
            query?: {
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sorted by their end. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8302-030200000001",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "title": "Twelve visits this month",
                     *         "metric": "CHECK_INS",
                     *         "goal": 12,
                     *         "startsAt": "2026-05-24T00:00:00.000Z",
                     *         "endsAt": "2026-06-23T00:00:00.000Z",
                     *         "version": 1,
                     *         "joined": true,
                     *         "score": 0
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8302-030200000002",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "title": "A thousand minutes",
                     *         "metric": "MINUTES",
                     *         "goal": 1000,
                     *         "startsAt": "2026-05-24T00:00:00.000Z",
                     *         "endsAt": "2026-06-23T00:00:00.000Z",
                     *         "version": 1,
                     *         "joined": false,
                     *         "score": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Challenge"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createChallenge: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "50 km on the rower",
                 *       "metric": "CUSTOM",
                 *       "goal": 50000,
                 *       "startsAt": "2026-06-14T00:00:00.000Z",
                 *       "endsAt": "2026-07-14T00:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** @description The gym, for a SUPER_ADMIN. A GYM_ADMIN may name only their own gym. */
                    gymId?: string | null;
                    /** @description The title that users see: at most 120 characters. */
                    title: string;
                    /**
                     * @description What the score counts.
                     *     - `CHECK_INS`: Visits during the challenge; counted automatically.
                     *     - `WORKOUTS`: Workouts; the participants add to their own scores.
                     *     - `MINUTES`: Minutes of training; the participants add to their own scores.
                     *     - `CUSTOM`: What the title of the challenge says; the participants add to their own scores.
                     * @enum {string}
                     */
                    metric: "CHECK_INS" | "WORKOUTS" | "MINUTES" | "CUSTOM";
                    /** @description The score that the participants try to reach: 1 to 1,000,000. */
                    goal: number;
                    /**
                     * Format: date-time
                     * @description The beginning of the challenge.
                     */
                    startsAt: string;
                    /**
                     * Format: date-time
                     * @description The end of the challenge, after `startsAt`.
                     */
                    endsAt: string;
                };
            };
        };
        responses: {
            /** @description The challenge. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000007",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "title": "50 km on the rower",
                     *       "metric": "CUSTOM",
                     *       "goal": 50000,
                     *       "startsAt": "2026-06-14T00:00:00.000Z",
                     *       "endsAt": "2026-07-14T00:00:00.000Z",
                     *       "version": 1,
                     *       "joined": false,
                     *       "score": null
                     *     }
                     */
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The challenge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8302-030200000001",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "title": "Twelve visits this month",
                     *       "metric": "CHECK_INS",
                     *       "goal": 12,
                     *       "startsAt": "2026-05-24T00:00:00.000Z",
                     *       "endsAt": "2026-06-23T00:00:00.000Z",
                     *       "version": 1,
                     *       "joined": true,
                     *       "score": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    joinChallenge: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The challenge with `joined: true`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000007",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "title": "50 km on the rower",
                     *       "metric": "CUSTOM",
                     *       "goal": 50000,
                     *       "startsAt": "2026-06-14T00:00:00.000Z",
                     *       "endsAt": "2026-07-14T00:00:00.000Z",
                     *       "version": 1,
                     *       "joined": true,
                     *       "score": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    leaveChallenge: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The challenge with `joined: false`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000007",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "title": "50 km on the rower",
                     *       "metric": "CUSTOM",
                     *       "goal": 50000,
                     *       "startsAt": "2026-06-14T00:00:00.000Z",
                     *       "endsAt": "2026-07-14T00:00:00.000Z",
                     *       "version": 1,
                     *       "joined": false,
                     *       "score": null
                     *     }
                     */
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addChallengeProgress: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 2500
                 *     }
                 */
                "application/json": {
                    /** @description By how much the score increases: 1 to 100,000. */
                    amount: number;
                };
            };
        };
        responses: {
            /** @description The challenge with the new score. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000007",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "title": "50 km on the rower",
                     *       "metric": "CUSTOM",
                     *       "goal": 50000,
                     *       "startsAt": "2026-06-14T00:00:00.000Z",
                     *       "endsAt": "2026-07-14T00:00:00.000Z",
                     *       "version": 1,
                     *       "joined": true,
                     *       "score": 2500
                     *     }
                     */
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLeaderboard: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the ranking. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "rank": 1,
                     *         "userId": "01900000-0000-7000-8000-000000000104",
                     *         "score": 2,
                     *         "reachedAt": "2026-06-15T10:00:00.000Z"
                     *       },
                     *       {
                     *         "rank": 2,
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "score": 0,
                     *         "reachedAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["LeaderboardEntry"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAnnouncements: {
        parameters: {
            query?: {
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current announcements. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8304-030400000001",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "authorId": "01900000-0000-7000-8000-000000000102",
                     *         "title": "New platform in the Forge",
                     *         "text": "Two more lifting platforms are ready, right of the entrance.",
                     *         "version": 1,
                     *         "startsAt": "2026-01-01T00:00:00.000Z",
                     *         "endsAt": null,
                     *         "createdAt": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Announcement"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAnnouncement: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "New rowers",
                 *       "text": "Four new rowers are at Forge.",
                 *       "endsAt": "2026-06-30T00:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** @description The gym, for a SUPER_ADMIN. A GYM_ADMIN may name only their own gym. */
                    gymId?: string | null;
                    /** @description The title that users see: at most 120 characters. */
                    title: string;
                    /** @description The text that users see: at most 5,000 characters. */
                    text: string;
                    /** @description The time from which the announcement is valid. Default: now. */
                    startsAt?: string | null;
                    /** @description The time until which the announcement is valid, after `startsAt`. Default: until it is deleted. */
                    endsAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The announcement. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "authorId": "01900000-0000-7000-8000-000000000102",
                     *       "title": "New rowers",
                     *       "text": "Four new rowers are at Forge.",
                     *       "version": 1,
                     *       "startsAt": "2026-06-15T10:00:00.000Z",
                     *       "endsAt": "2026-06-30T00:00:00.000Z",
                     *       "createdAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Announcement"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAnnouncement: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The announcement is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPosts: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of posts. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000009",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "authorId": "01900000-0000-7000-8000-000000000103",
                     *         "text": "Two hundred kilos, at last.",
                     *         "image": null,
                     *         "likeCount": 0,
                     *         "commentCount": 0,
                     *         "version": 1,
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "likedByMe": false
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8305-030500000002",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "authorId": "01900000-0000-7000-8000-000000000104",
                     *         "text": "Who joins for an early run on Saturday?",
                     *         "image": null,
                     *         "likeCount": 0,
                     *         "commentCount": 0,
                     *         "version": 1,
                     *         "createdAt": "2026-01-01T00:00:00.000Z",
                     *         "likedByMe": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Post"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The gym, for a SUPER_ADMIN. */
                    gymId?: string | null;
                    /** @description The text that users see: at most 5,000 characters. */
                    text?: string;
                    /** @description At most 10 MiB. */
                    image?: string;
                };
                /**
                 * @example {
                 *       "text": "Two hundred kilos, at last."
                 *     }
                 */
                "application/json": {
                    /** @description The gym, for a SUPER_ADMIN. */
                    gymId?: string | null;
                    /** @description The text that users see: at most 5,000 characters. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description The post. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000009",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "authorId": "01900000-0000-7000-8000-000000000103",
                     *       "text": "Two hundred kilos, at last.",
                     *       "image": null,
                     *       "likeCount": 0,
                     *       "commentCount": 0,
                     *       "version": 1,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "likedByMe": false
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPostReports: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reports. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "postId": "01900000-0000-7000-9000-000000000009",
                     *         "reporterId": "01900000-0000-7000-8000-000000000104",
                     *         "reason": "Not about training.",
                     *         "createdAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PostReport"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000009",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "authorId": "01900000-0000-7000-8000-000000000103",
                     *       "text": "Two hundred kilos, at last.",
                     *       "image": null,
                     *       "likeCount": 0,
                     *       "commentCount": 0,
                     *       "version": 1,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "likedByMe": false
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePost: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post is deleted, with its comments and likes. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    likePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The liked post. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000009",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "authorId": "01900000-0000-7000-8000-000000000103",
                     *       "text": "Two hundred kilos, at last.",
                     *       "image": null,
                     *       "likeCount": 1,
                     *       "commentCount": 0,
                     *       "version": 1,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "likedByMe": true
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unlikePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post without the like. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000009",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "authorId": "01900000-0000-7000-8000-000000000103",
                     *       "text": "Two hundred kilos, at last.",
                     *       "image": null,
                     *       "likeCount": 0,
                     *       "commentCount": 1,
                     *       "version": 1,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "likedByMe": false
                     *     }
                     */
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listComments: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of comments. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000010",
                     *         "postId": "01900000-0000-7000-9000-000000000009",
                     *         "authorId": "01900000-0000-7000-8000-000000000104",
                     *         "text": "Spotting you next time!",
                     *         "createdAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Comment"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Spotting you next time!"
                 *     }
                 */
                "application/json": {
                    /** @description The text of the comment: at most 2,000 characters. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description The comment. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000010",
                     *       "postId": "01900000-0000-7000-9000-000000000009",
                     *       "authorId": "01900000-0000-7000-8000-000000000104",
                     *       "text": "Spotting you next time!",
                     *       "createdAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Comment"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reportPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Not about training."
                 *     }
                 */
                "application/json": {
                    /** @description Why the post should be removed: at most 500 characters. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The report. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "postId": "01900000-0000-7000-9000-000000000009",
                     *       "reporterId": "01900000-0000-7000-8000-000000000104",
                     *       "reason": "Not about training.",
                     *       "createdAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PostReport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPostPicture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the file, from `image` of a post. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. Its name is never reused for another picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGymProducts: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "productId": "01900000-0000-7000-8402-040200000002",
                     *         "price": 2499,
                     *         "currency": "EUR",
                     *         "stock": 12
                     *       },
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "productId": "01900000-0000-7000-8402-040200000003",
                     *         "price": null,
                     *         "currency": null,
                     *         "stock": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GymProduct"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceGymProducts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "products": [
                 *         {
                 *           "productId": "01900000-0000-7000-8402-040200000002",
                 *           "price": 2499,
                 *           "currency": "EUR",
                 *           "stock": 12
                 *         },
                 *         {
                 *           "productId": "01900000-0000-7000-8402-040200000003"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The whole list, in the order in which it is shown. It replaces the stored one. */
                    products: {
                        /**
                         * Format: uuid
                         * @description The id of a product of the content service, at most once in the list.
                         */
                        productId: string;
                        /** @description The gym's own price in minor units of `currency`: 0 to 100,000,000. Null: the product's own price. */
                        price?: number | null;
                        /** @description ISO 4217, e.g. `EUR`. Required with a price. */
                        currency?: string | null;
                        /** @description The number of pieces that the gym has: 0 to 1,000,000. Null if the gym does not count its stock. */
                        stock?: number | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description The new list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "productId": "01900000-0000-7000-8402-040200000002",
                     *         "price": 2499,
                     *         "currency": "EUR",
                     *         "stock": 12
                     *       },
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "productId": "01900000-0000-7000-8402-040200000003",
                     *         "price": null,
                     *         "currency": null,
                     *         "stock": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GymProduct"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGymPrograms: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "routineId": "01900000-0000-7000-8401-040100000007",
                     *         "note": "Twice a week"
                     *       },
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "routineId": "01900000-0000-7000-8401-040100000012",
                     *         "note": "Twice a week"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GymProgram"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceGymPrograms: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or slug of the gym. */
                gymId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "programs": [
                 *         {
                 *           "routineId": "01900000-0000-7000-8401-040100000007",
                 *           "note": "Twice a week"
                 *         },
                 *         {
                 *           "routineId": "01900000-0000-7000-8401-040100000012",
                 *           "note": "Twice a week"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The whole list, in the order in which it is shown. It replaces the stored one. */
                    programs: {
                        /**
                         * Format: uuid
                         * @description The id of a routine of the content service, at most once in the list.
                         */
                        routineId: string;
                        /** @description A note of the gym on the routine: at most 500 characters. */
                        note?: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description The new programme. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "routineId": "01900000-0000-7000-8401-040100000007",
                     *         "note": "Twice a week"
                     *       },
                     *       {
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "routineId": "01900000-0000-7000-8401-040100000012",
                     *         "note": "Twice a week"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GymProgram"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gymListEvents: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer; the answer then has the events after it. `latest`: no events, only `next`. Default: the oldest events that are kept. */
                after?: string;
                /** @description Only these types, separated by commas. Default: all that the caller may read. `check_in.opened` (scope visits:read), `check_in.closed` (scope visits:read), `check_in.undone` (scope visits:read), `check_in.denied` (scope visits:read), `occupancy.level_changed` (scope occupancy:read), `challenge.ended`, `gym_config.published`, `gym.deployed`, `member.joined` (scope members:read), `member.updated` (scope members:read), `member.removed` (scope members:read), `product.changed` (scope content:read). */
                types?: string;
                /** @description Events in the answer, at most 200. Default 50. */
                limit?: number;
                /** @description If there are no events, the answer is sent at the next event, or after this number of seconds; at most 20. Default 0. */
                wait?: number;
                /** @description For a SUPER_ADMIN: the gym; without it, the answer has the events of all gyms. Every other caller may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, and the cursor after them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [],
                     *       "next": "82dbc4681e280b749ca508bb9dc2cb8"
                     *     }
                     */
                    "application/json": components["schemas"]["gym.EventPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks, without secrets. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000012",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "url": "https://crm.example.com/events",
                     *         "types": [
                     *           "check_in.opened"
                     *         ],
                     *         "description": "CRM",
                     *         "active": true,
                     *         "disabledReason": null,
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "version": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://crm.example.com/events",
                 *       "types": [
                 *         "check_in.opened"
                 *       ],
                 *       "description": "CRM"
                 *     }
                 */
                "application/json": {
                    /** @description A public https address, without user name, password and fragment. */
                    url: string;
                    /** @description Types of events. A machine client may choose only types whose resource its scopes let it read. */
                    types: ("check_in.opened" | "check_in.closed" | "check_in.undone" | "check_in.denied" | "occupancy.level_changed" | "challenge.ended" | "gym_config.published" | "gym.deployed" | "member.joined" | "member.updated" | "member.removed" | "product.changed")[];
                    /** @description A note for people, at most 200 characters. */
                    description?: string | null;
                    /** @description Required from a SUPER_ADMIN; null: the events of all gyms. Every other caller may name only their own gym. */
                    gymId?: string | null;
                };
            };
        };
        responses: {
            /** @description The webhook with its secret, which is in no other answer but that of a rotation. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000012",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "url": "https://crm.example.com/events",
                     *       "types": [
                     *         "check_in.opened"
                     *       ],
                     *       "description": "CRM",
                     *       "active": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 1,
                     *       "secret": "d8148de01a5d37bf3f797d09bdf9ce6863e0609fb65cf602ad"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000012",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "url": "https://crm.example.com/events",
                     *       "types": [
                     *         "check_in.opened"
                     *       ],
                     *       "description": "CRM",
                     *       "active": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "types": [
                 *         "check_in.opened",
                 *         "check_in.closed"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description A public https address, without user name, password and fragment. */
                    url?: string | null;
                    /** @description Types of events. A machine client may choose only types whose resource its scopes let it read. */
                    types?: ("check_in.opened" | "check_in.closed" | "check_in.undone" | "check_in.denied" | "occupancy.level_changed" | "challenge.ended" | "gym_config.published" | "gym.deployed" | "member.joined" | "member.updated" | "member.removed" | "product.changed")[] | null;
                    /** @description Null removes the description. */
                    description?: string | null;
                    /** @description true switches the webhook on again; the deliveries that wait are then sent. */
                    active?: boolean | null;
                    /** @description The version on which the change is based; `VERSION_CONFLICT` if it has changed. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000012",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "url": "https://crm.example.com/events",
                     *       "types": [
                     *         "check_in.opened",
                     *         "check_in.closed"
                     *       ],
                     *       "description": "CRM",
                     *       "active": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000012",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "url": "https://crm.example.com/events",
                     *       "types": [
                     *         "check_in.opened",
                     *         "check_in.closed"
                     *       ],
                     *       "description": "CRM",
                     *       "active": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 3,
                     *       "secret": "c345cea8d3df5a892716acabd357990df3fc9fe9f2f67c36f9"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description Only deliveries with this status. */
                status?: "PENDING" | "DELIVERED" | "FAILED";
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000013",
                     *         "eventId": "01900000-0000-7000-9000-000000000014",
                     *         "type": "webhook.test",
                     *         "status": "FAILED",
                     *         "attempts": [
                     *           {
                     *             "at": "2026-06-15T10:00:00.000Z",
                     *             "error": "getaddrinfo ENOTFOUND crm.example.com",
                     *             "answer": null,
                     *             "statusCode": null,
                     *             "durationMillis": 21
                     *           }
                     *         ],
                     *         "nextAttemptAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
                /** @description The delivery's id. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is sent now. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000013",
                     *       "eventId": "01900000-0000-7000-9000-000000000014",
                     *       "type": "webhook.test",
                     *       "status": "PENDING",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-06-15T10:00:00.000Z",
                     *           "error": "getaddrinfo ENOTFOUND crm.example.com",
                     *           "answer": null,
                     *           "statusCode": null,
                     *           "durationMillis": 21
                     *         }
                     *       ],
                     *       "nextAttemptAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-06-15T09:00:00.000Z",
                 *       "to": "2026-06-15T10:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description The events that occurred from this time on ...
                     */
                    from: string;
                    /**
                     * Format: date-time
                     * @description ... and before this time; at most 30 days later.
                     */
                    to: string;
                };
            };
        };
        responses: {
            /** @description The number of events, which are sent now. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": 2
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is sent now. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000013",
                     *       "eventId": "01900000-0000-7000-9000-000000000014",
                     *       "type": "webhook.test",
                     *       "status": "PENDING",
                     *       "attempts": [],
                     *       "nextAttemptAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endMembershipAtGym: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "01900000-0000-7000-8999-099900000002",
                 *       "gymId": "01900000-0000-7000-8000-000000000001",
                 *       "before": null
                 *     }
                 */
                "application/json": components["schemas"]["MembershipEnd"];
            };
        };
        responses: {
            /** @description It has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gymListAccountRecords: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [],
                     *       "kinds": [
                     *         "checkIns",
                     *         "deniedCheckIns"
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountRecords"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gymEraseAccountRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "DELETED",
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountVerdict"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gymListJobs: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description `true`: only jobs that have failed for good; `false`: only the others. */
                failed?: "true" | "false";
                /** @description Only jobs with this name. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5",
                     *         "name": "remove_failed_jobs",
                     *         "attempts": 0,
                     *         "maxAttempts": 25,
                     *         "error": null,
                     *         "status": "PENDING",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "runAt": "2026-06-16T10:00:00.000Z",
                     *         "payload": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Job"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gymRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job begins as soon as a worker is free. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5",
                     *       "name": "remove_failed_jobs",
                     *       "attempts": 0,
                     *       "maxAttempts": 25,
                     *       "error": null,
                     *       "status": "PENDING",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "runAt": "2026-06-15T10:00:00.000Z",
                     *       "payload": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    gymRemoveReferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The entity's type in the graph, such as `Product`. */
                typeName: string;
                /** @description The id of the removed entity. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No row of this service refers to the entity. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    wizardListAccountRecords: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [],
                     *       "kinds": [
                     *         "sessions"
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountRecords"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    wizardEraseAccountRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "DELETED",
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountVerdict"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    wizardListJobs: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description `true`: only jobs that have failed for good; `false`: only the others. */
                failed?: "true" | "false";
                /** @description Only jobs with this name. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "3",
                     *         "name": "remove_failed_jobs",
                     *         "attempts": 0,
                     *         "maxAttempts": 25,
                     *         "error": null,
                     *         "status": "PENDING",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "runAt": "2026-06-16T10:00:00.000Z",
                     *         "payload": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Job"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    wizardRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job begins as soon as a worker is free. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3",
                     *       "name": "remove_failed_jobs",
                     *       "attempts": 0,
                     *       "maxAttempts": 25,
                     *       "error": null,
                     *       "status": "PENDING",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "runAt": "2026-06-15T10:00:00.000Z",
                     *       "payload": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    checkAvailability: {
        parameters: {
            query: {
                /** @description What the value is: `gym-name`, `gym-slug`, `email` or `slot`. */
                resource: "gym-name" | "gym-slug" | "slot" | "email";
                /** @description A name, a slug, an email, or for a slot `<locationId>@<start>`, e.g. `0190...@2027-01-31T18:00:00Z`. */
                value: string;
                /** @description Reserves the value for the session for 15 minutes, if it is available; requires `sessionId`. */
                reserve?: (boolean | ("true" | "false")) | null;
                /** @description The session for which the value is checked: values that it has reserved itself are available to it. */
                sessionId?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the value is available; if not, the reason and similar values that are available. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resource": "gym-slug",
                     *       "value": "river-side",
                     *       "available": true,
                     *       "suggestions": [],
                     *       "reservedUntil": "2026-06-15T10:15:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Availability"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFirstVisits: {
        parameters: {
            query?: {
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description A time, or a local day at the location; inclusive. Default: now. */
                from?: (string) | null;
                /** @description A time (exclusive), or a local day at the location (inclusive). Default: a week after `from`; at most 92 days after it. */
                to?: (string) | null;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members, with location and time. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000007",
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "locationId": "01900000-0000-7000-8301-030100000002",
                     *         "startsAt": "2026-06-18T12:00:00.000Z",
                     *         "endsAt": "2026-06-18T12:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["FirstVisit"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWizardSessions: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description Only sessions with this status. */
                status?: "DRAFT" | "READY" | "DEPLOYING" | "DEPLOYED" | "FAILED" | "CANCELLED" | "EXPIRED";
                /** @description Only sessions of this kind. */
                kind?: "GYM_SETUP" | "MEMBER_ONBOARDING";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000001",
                     *         "kind": "GYM_SETUP",
                     *         "status": "DEPLOYED",
                     *         "definitionVersion": 1,
                     *         "currentStep": "review",
                     *         "steps": [
                     *           {
                     *             "key": "basics",
                     *             "title": "Name and address",
                     *             "data": {
                     *               "name": "River Side",
                     *               "slug": "river-side",
                     *               "timezone": "Europe/Berlin"
                     *             },
                     *             "status": "COMPLETE",
                     *             "errors": [],
                     *             "currentlyDue": []
                     *           },
                     *           {
                     *             "key": "branding",
                     *             "title": "Colours and pictures",
                     *             "data": {
                     *               "theme": {
                     *                 "colors": {
                     *                   "primary": "#0f766e"
                     *                 }
                     *               },
                     *               "assets": {
                     *                 "logo": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *               }
                     *             },
                     *             "status": "COMPLETE",
                     *             "errors": [],
                     *             "currentlyDue": []
                     *           }
                     *         ],
                     *         "files": [
                     *           {
                     *             "id": "01900000-0000-7000-9000-000000000002",
                     *             "step": "branding",
                     *             "bytes": 244,
                     *             "field": "logo",
                     *             "filename": "picture.png",
                     *             "uploadedAt": "2026-06-15T10:00:00.000Z",
                     *             "contentType": "image/webp",
                     *             "url": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *           }
                     *         ],
                     *         "version": 10,
                     *         "createdBy": "01900000-0000-7000-8000-000000000101",
                     *         "gymId": "01900000-0000-7000-9000-000000000003",
                     *         "expiresAt": "2026-07-15T10:00:00.000Z",
                     *         "deployment": {
                     *           "status": "DONE",
                     *           "startedAt": "2026-06-15T10:00:00.000Z",
                     *           "finishedAt": "2026-06-15T10:00:00.000Z",
                     *           "actions": [
                     *             {
                     *               "name": "gym",
                     *               "service": "gym",
                     *               "status": "DONE",
                     *               "attempts": 1,
                     *               "result": {
                     *                 "slug": "river-side",
                     *                 "gymId": "01900000-0000-7000-9000-000000000003"
                     *               }
                     *             },
                     *             {
                     *               "name": "config",
                     *               "service": "gym",
                     *               "status": "DONE",
                     *               "attempts": 1,
                     *               "result": {
                     *                 "version": 2
                     *               }
                     *             }
                     *           ],
                     *           "result": {
                     *             "slug": "river-side",
                     *             "gymId": "01900000-0000-7000-9000-000000000003",
                     *             "adminId": "01900000-0000-7000-9000-000000000004",
                     *             "locationIds": [
                     *               "01900000-0000-7000-9000-000000000005"
                     *             ]
                     *           },
                     *           "resolution": null
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WizardSession"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWizardSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "GYM_SETUP"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the session sets up.
                     *     - `GYM_SETUP`: A new gym: name, branding, locations, features, first admin.
                     *     - `MEMBER_ONBOARDING`: A new member: profile, body, goals, nutrition target, first visit.
                     * @enum {string}
                     */
                    kind: "GYM_SETUP" | "MEMBER_ONBOARDING";
                };
            };
        };
        responses: {
            /** @description The new session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "kind": "GYM_SETUP",
                     *       "status": "DRAFT",
                     *       "definitionVersion": 1,
                     *       "currentStep": "basics",
                     *       "steps": [
                     *         {
                     *           "key": "basics",
                     *           "title": "Name and address",
                     *           "data": {},
                     *           "status": "EMPTY",
                     *           "errors": [],
                     *           "currentlyDue": [
                     *             "name",
                     *             "slug"
                     *           ]
                     *         },
                     *         {
                     *           "key": "branding",
                     *           "title": "Colours and pictures",
                     *           "data": {},
                     *           "status": "EMPTY",
                     *           "errors": [],
                     *           "currentlyDue": [
                     *             "theme"
                     *           ]
                     *         }
                     *       ],
                     *       "files": [],
                     *       "version": 1,
                     *       "createdBy": "01900000-0000-7000-8000-000000000101",
                     *       "gymId": null,
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": null
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWizardSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "kind": "GYM_SETUP",
                     *       "status": "READY",
                     *       "definitionVersion": 1,
                     *       "currentStep": "review",
                     *       "steps": [
                     *         {
                     *           "key": "basics",
                     *           "title": "Name and address",
                     *           "data": {
                     *             "name": "River Side",
                     *             "slug": "river-side",
                     *             "timezone": "Europe/Berlin"
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         },
                     *         {
                     *           "key": "branding",
                     *           "title": "Colours and pictures",
                     *           "data": {
                     *             "theme": {
                     *               "colors": {
                     *                 "primary": "#0f766e"
                     *               }
                     *             },
                     *             "assets": {
                     *               "logo": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *             }
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         }
                     *       ],
                     *       "files": [
                     *         {
                     *           "id": "01900000-0000-7000-9000-000000000002",
                     *           "step": "branding",
                     *           "bytes": 244,
                     *           "field": "logo",
                     *           "filename": "picture.png",
                     *           "uploadedAt": "2026-06-15T10:00:00.000Z",
                     *           "contentType": "image/webp",
                     *           "url": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *         }
                     *       ],
                     *       "version": 8,
                     *       "createdBy": "01900000-0000-7000-8000-000000000101",
                     *       "gymId": null,
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": null
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateWizardSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "step": "basics",
                 *       "data": {
                 *         "name": "River Side",
                 *         "slug": "river-side",
                 *         "timezone": "Europe/Berlin"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Key of the step to which `data` belongs; absent: the current step. */
                    step?: string | null;
                    /** @description An object; its keys are merged into the saved data of the step, null removes a key. */
                    data?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Key of the step to move to; absent: the next step if `data` completes the current one. */
                    currentStep?: string | null;
                    /** @description The version on which the change is based; without it the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "kind": "GYM_SETUP",
                     *       "status": "DRAFT",
                     *       "definitionVersion": 1,
                     *       "currentStep": "branding",
                     *       "steps": [
                     *         {
                     *           "key": "basics",
                     *           "title": "Name and address",
                     *           "data": {
                     *             "name": "River Side",
                     *             "slug": "river-side",
                     *             "timezone": "Europe/Berlin"
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         },
                     *         {
                     *           "key": "branding",
                     *           "title": "Colours and pictures",
                     *           "data": {},
                     *           "status": "EMPTY",
                     *           "errors": [],
                     *           "currentlyDue": [
                     *             "theme"
                     *           ]
                     *         }
                     *       ],
                     *       "files": [],
                     *       "version": 2,
                     *       "createdBy": "01900000-0000-7000-8000-000000000101",
                     *       "gymId": null,
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": null
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    claimWizardSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resumeToken": "82dbc4681e280b749ca508bb9dc2cb8aa16c4cfb4d6"
                 *     }
                 */
                "application/json": {
                    /** @description The resume token of the session. */
                    resumeToken: string;
                };
            };
        };
        responses: {
            /** @description The session, which now belongs to the caller. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000007",
                     *       "kind": "MEMBER_ONBOARDING",
                     *       "status": "DRAFT",
                     *       "definitionVersion": 1,
                     *       "currentStep": "profile",
                     *       "steps": [
                     *         {
                     *           "key": "profile",
                     *           "title": "About you",
                     *           "data": {},
                     *           "status": "EMPTY",
                     *           "errors": [],
                     *           "currentlyDue": [
                     *             "displayName"
                     *           ]
                     *         },
                     *         {
                     *           "key": "body",
                     *           "title": "Body",
                     *           "data": {},
                     *           "status": "EMPTY",
                     *           "errors": [],
                     *           "currentlyDue": [
                     *             "heightCm",
                     *             "weightKg"
                     *           ]
                     *         }
                     *       ],
                     *       "files": [],
                     *       "version": 2,
                     *       "createdBy": "01900000-0000-7000-8000-000000000103",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": null
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelWizardSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The version on which the decision is based; absent: any version is cancelled. */
                    version?: number | null;
                } | null;
            };
        };
        responses: {
            /** @description The cancelled session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "kind": "GYM_SETUP",
                     *       "status": "CANCELLED",
                     *       "definitionVersion": 1,
                     *       "currentStep": "basics",
                     *       "steps": [
                     *         {
                     *           "key": "basics",
                     *           "title": "Name and address",
                     *           "data": {},
                     *           "status": "EMPTY",
                     *           "errors": [],
                     *           "currentlyDue": [
                     *             "name",
                     *             "slug"
                     *           ]
                     *         },
                     *         {
                     *           "key": "branding",
                     *           "title": "Colours and pictures",
                     *           "data": {},
                     *           "status": "EMPTY",
                     *           "errors": [],
                     *           "currentlyDue": [
                     *             "theme"
                     *           ]
                     *         }
                     *       ],
                     *       "files": [],
                     *       "version": 2,
                     *       "createdBy": "01900000-0000-7000-8000-000000000101",
                     *       "gymId": null,
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": null
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    uploadWizardFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "step": "branding",
                 *       "field": "logo",
                 *       "file": "picture.png"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description Key of the step that the file belongs to. */
                    step?: string;
                    /** @description A file field of the step: `logo`, `splash` or `icon` of `branding`, `document` of basics, branding, locations, body and review. */
                    field?: string;
                    /** @description At most 10 MiB. */
                    file?: string;
                };
            };
        };
        responses: {
            /** @description The session with the file in `files`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "kind": "GYM_SETUP",
                     *       "status": "READY",
                     *       "definitionVersion": 1,
                     *       "currentStep": "review",
                     *       "steps": [
                     *         {
                     *           "key": "basics",
                     *           "title": "Name and address",
                     *           "data": {
                     *             "name": "River Side",
                     *             "slug": "river-side",
                     *             "timezone": "Europe/Berlin"
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         },
                     *         {
                     *           "key": "branding",
                     *           "title": "Colours and pictures",
                     *           "data": {
                     *             "theme": {
                     *               "colors": {
                     *                 "primary": "#0f766e"
                     *               }
                     *             },
                     *             "assets": {
                     *               "logo": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *             }
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         }
                     *       ],
                     *       "files": [
                     *         {
                     *           "id": "01900000-0000-7000-9000-000000000002",
                     *           "step": "branding",
                     *           "field": "logo",
                     *           "filename": "picture.png",
                     *           "contentType": "image/webp",
                     *           "bytes": 244,
                     *           "uploadedAt": "2026-06-15T10:00:00.000Z",
                     *           "url": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *         }
                     *       ],
                     *       "version": 8,
                     *       "createdBy": "01900000-0000-7000-8000-000000000101",
                     *       "gymId": null,
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": null
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWizardFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
                /** @description The file's id. */
                fileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A picture (WebP) or a PDF. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deployWizardSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The version on which the decision is based; absent: any version is deployed. */
                    version?: number | null;
                } | null;
            };
        };
        responses: {
            /** @description The session, which is deployed already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description The session with the status DEPLOYING. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "kind": "GYM_SETUP",
                     *       "status": "DEPLOYING",
                     *       "definitionVersion": 1,
                     *       "currentStep": "review",
                     *       "steps": [
                     *         {
                     *           "key": "basics",
                     *           "title": "Name and address",
                     *           "data": {
                     *             "name": "River Side",
                     *             "slug": "river-side",
                     *             "timezone": "Europe/Berlin"
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         },
                     *         {
                     *           "key": "branding",
                     *           "title": "Colours and pictures",
                     *           "data": {
                     *             "theme": {
                     *               "colors": {
                     *                 "primary": "#0f766e"
                     *               }
                     *             },
                     *             "assets": {
                     *               "logo": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *             }
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         }
                     *       ],
                     *       "files": [
                     *         {
                     *           "id": "01900000-0000-7000-9000-000000000002",
                     *           "step": "branding",
                     *           "bytes": 244,
                     *           "field": "logo",
                     *           "filename": "picture.png",
                     *           "uploadedAt": "2026-06-15T10:00:00.000Z",
                     *           "contentType": "image/webp",
                     *           "url": "http://127.0.0.1:3006/01900000-0000-7000-9000-000000000001/files/01900000-0000-7000-9000-000000000002"
                     *         }
                     *       ],
                     *       "version": 9,
                     *       "createdBy": "01900000-0000-7000-8000-000000000101",
                     *       "gymId": null,
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": {
                     *         "status": "RUNNING",
                     *         "startedAt": "2026-06-15T10:00:00.000Z",
                     *         "finishedAt": null,
                     *         "actions": [
                     *           {
                     *             "name": "gym",
                     *             "service": "gym",
                     *             "status": "PENDING",
                     *             "attempts": 0,
                     *             "result": null
                     *           },
                     *           {
                     *             "name": "config",
                     *             "service": "gym",
                     *             "status": "PENDING",
                     *             "attempts": 0,
                     *             "result": null
                     *           }
                     *         ],
                     *         "result": null,
                     *         "resolution": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The wizard session's id. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "ACCEPT",
                 *       "note": "The gym stays; its admin is added by hand."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What is done about the remaining actions.
                     *     - `RETRY`: Tries again to undo the remaining actions.
                     *     - `ACCEPT`: Leaves the remaining effects in place; the deployment counts as UNDONE.
                     * @enum {string}
                     */
                    action: "RETRY" | "ACCEPT";
                    /** @description The reason, for later readers: at most 1,000 characters. */
                    note: string;
                };
            };
        };
        responses: {
            /** @description The session: DEPLOYING after RETRY, FAILED after ACCEPT. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "kind": "GYM_SETUP",
                     *       "status": "FAILED",
                     *       "definitionVersion": 1,
                     *       "currentStep": "review",
                     *       "steps": [
                     *         {
                     *           "key": "basics",
                     *           "title": "Name and address",
                     *           "data": {
                     *             "name": "East Side",
                     *             "slug": "east-side",
                     *             "timezone": "Europe/Berlin"
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         },
                     *         {
                     *           "key": "branding",
                     *           "title": "Colours and pictures",
                     *           "data": {
                     *             "theme": {
                     *               "colors": {
                     *                 "primary": "#0f766e"
                     *               }
                     *             }
                     *           },
                     *           "status": "COMPLETE",
                     *           "errors": [],
                     *           "currentlyDue": []
                     *         }
                     *       ],
                     *       "files": [],
                     *       "version": 10,
                     *       "createdBy": "01900000-0000-7000-8000-000000000101",
                     *       "gymId": null,
                     *       "expiresAt": "2026-07-15T10:00:00.000Z",
                     *       "deployment": {
                     *         "status": "UNDONE",
                     *         "startedAt": "2026-06-15T10:00:00.000Z",
                     *         "finishedAt": "2026-06-15T10:00:00.000Z",
                     *         "actions": [
                     *           {
                     *             "name": "gym",
                     *             "service": "gym",
                     *             "status": "DONE",
                     *             "attempts": 1,
                     *             "error": {
                     *               "code": "CONFLICT",
                     *               "message": "This gym is in use; it can no longer be withdrawn."
                     *             },
                     *             "undoError": {
                     *               "code": "CONFLICT",
                     *               "message": "This gym is in use; it can no longer be withdrawn."
                     *             },
                     *             "result": {
                     *               "slug": "east-side",
                     *               "gymId": "01900000-0000-7000-9000-000000000009"
                     *             }
                     *           },
                     *           {
                     *             "name": "config",
                     *             "service": "gym",
                     *             "status": "UNDONE",
                     *             "attempts": 1,
                     *             "result": {
                     *               "version": 2
                     *             }
                     *           }
                     *         ],
                     *         "result": null,
                     *         "resolution": {
                     *           "action": "ACCEPT",
                     *           "note": "The gym stays; its admin is added by hand.",
                     *           "by": "01900000-0000-7000-8000-000000000101",
                     *           "at": "2026-06-15T10:00:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WizardSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    analyzeMeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description What was eaten, in everyday words: "2 eggs, a slice of toast with butter". */
                    prompt?: string;
                    /** @description Language of the prompt and of the names in the answer. The food table understands English, and with it one of `de`, `fr` and `es`. Default: English for the food table, the language of the prompt for the AI provider. The language decides how numbers are read: `2.000 g` is 2,000 g in German. */
                    locale?: string;
                    image?: string[];
                };
                /**
                 * @example {
                 *       "prompt": "2 eggs, a slice of whole grain bread and an apple",
                 *       "locale": "en"
                 *     }
                 */
                "application/json": {
                    /** @description What was eaten, in everyday words: "2 eggs, a slice of toast with butter". */
                    prompt?: string;
                    /** @description Language of the prompt and of the names in the answer. The food table understands English, and with it one of `de`, `fr` and `es`. Default: English for the food table, the language of the prompt for the AI provider. The language decides how numbers are read: `2.000 g` is 2,000 g in German. */
                    locale?: string;
                };
            };
        };
        responses: {
            /** @description The estimate. Food that was not recognised is in `unknown` and in no item. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "Egg, hard-boiled",
                     *           "grams": 100,
                     *           "calories": 155,
                     *           "protein": 12.58,
                     *           "carbs": 1.12,
                     *           "fats": 10.61,
                     *           "confidence": 0.81,
                     *           "known": true
                     *         },
                     *         {
                     *           "name": "Whole-wheat bread",
                     *           "grams": 32,
                     *           "calories": 81,
                     *           "protein": 3.98,
                     *           "carbs": 13.67,
                     *           "fats": 1.12,
                     *           "confidence": 0.85,
                     *           "known": true
                     *         }
                     *       ],
                     *       "total": {
                     *         "calories": 331,
                     *         "protein": 17.03,
                     *         "carbs": 39.92,
                     *         "fats": 12.04
                     *       },
                     *       "confidence": 0.87,
                     *       "questions": [],
                     *       "unknown": [],
                     *       "provider": "food-table"
                     *     }
                     */
                    "application/json": components["schemas"]["FoodAnalysis"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importFoodLog: {
        parameters: {
            query?: {
                /** @description An id that you choose, to read the progress by GET /log/imports/:id. */
                importId?: string;
                /** @description IANA time zone that decides the day of an instant. Default: the user's profile. */
                timezone?: string;
                /** @description DMY: 3/4/2026 is 3 April; MDY: it is 4 March. Default: detected from the dates of the file; 400 if they are ambiguous. */
                dateOrder?: string | null;
                /** @description POINT: 1.5 and 1,234.5; COMMA: 1,5 and 1.234,5. Default: detected from the numbers of the file. */
                decimal?: string | null;
                /** @description Default: detected from the header. */
                delimiter?: string | null;
                /** @description Default: detected from the bytes of the file. */
                encoding?: string | null;
            };
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example localDate,foodName,calories,protein,mealType
                 *     2026-06-13,Lentil soup,310,18,LUNCH
                 *     2026-06-13,Skyr,95,17,SNACK
                 */
                "text/csv": string;
                "multipart/form-data": {
                    /** @description At most 25 MiB. */
                    file?: string;
                };
            };
        };
        responses: {
            /** @description The result for the lines. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000003",
                     *       "status": "DONE",
                     *       "lines": 2,
                     *       "imported": 2,
                     *       "duplicates": 0,
                     *       "failed": 0,
                     *       "errors": [],
                     *       "errorsOmitted": 0,
                     *       "format": {
                     *         "encoding": "UTF_8",
                     *         "delimiter": "COMMA",
                     *         "decimal": "POINT",
                     *         "dateOrder": null
                     *       },
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "finishedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FoodLogImport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFoodLogImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The import. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000003",
                     *       "status": "DONE",
                     *       "lines": 2,
                     *       "imported": 2,
                     *       "duplicates": 0,
                     *       "failed": 0,
                     *       "errors": [],
                     *       "errorsOmitted": 0,
                     *       "format": {
                     *         "decimal": "POINT",
                     *         "encoding": "UTF_8",
                     *         "dateOrder": null,
                     *         "delimiter": "COMMA"
                     *       },
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "finishedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["FoodLogImport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportFoodLog: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                /** @description Your own user id, or `me`. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A header line and a line for each entry. POST /log/import accepts the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id,localDate,loggedAt,mealType,foodName,quantity,unit,grams,calories,protein,carbs,fats,foodId
                     *     01900000-0000-7000-8410-041000000021,2026-06-13,2026-06-13T07:00:00.000Z,BREAKFAST,"Egg, scrambled",2,large,122,182,12.19,1.96,13.4,
                     *     01900000-0000-7000-9000-000000000004,2026-06-13,2026-06-13T11:00:00.000Z,LUNCH,Lentil soup,,,,310,18,0,0,
                     *     01900000-0000-7000-9000-000000000005,2026-06-13,2026-06-13T11:00:00.000Z,SNACK,Skyr,,,,95,17,0,0,
                     *     01900000-0000-7000-8410-041000000022,2026-06-13,2026-06-13T12:05:00.000Z,LUNCH,"Lentils, boiled",1,cup,198,230,17.86,39.86,0.75,
                     *     01900000-0000-7000-8410-041000000023,2026-06-13,2026-06-13T12:10:00.000Z,LUNCH,"White rice, long-grain, cooked",1,cup,158,205,4.25,44.51,0.44,
                     *     01900000-0000-7000-8410-041000000024,2026-06-13,2026-06-13T15:15:00.000Z,SNACK,Apple with skin,1,medium,182,95,0.47,25.13,0.31,
                     *     01900000-0000-7000-8410-041000000025,2026-06-13,2026-06-13T18:20:00.000Z,DINNER,"Tofu, firm",200,g,200,156,18.08,5.7,8.34,
                     */
                    "text/csv": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logFood: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "foodName": "Oatmeal",
                 *       "calories": 158,
                 *       "protein": 5.5,
                 *       "carbs": 27,
                 *       "fats": 3.2,
                 *       "mealType": "BREAKFAST",
                 *       "localDate": "2026-06-14"
                 *     }
                 */
                "application/json": {
                    /** @description Entries of a confirmed meal, each with the fields of one entry; 1 to 100. */
                    entries?: {
                        /** @description The id of a food of the table, of your own food, or of a product. Absent values are computed from it. */
                        foodId?: string | null;
                        /** @description The name of what was eaten: at most 200 characters. Required without `foodId`. Default: the name of the food. */
                        foodName?: string | null;
                        /** @description Energy in whole kcal: 0 to 20,000. Required without `foodId`. Default: computed from the food and the weight. */
                        calories?: number | null;
                        /** @description Protein in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
                        protein?: number | null;
                        /** @description Carbohydrates in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
                        carbs?: number | null;
                        /** @description Fat in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
                        fats?: number | null;
                        /** @description Number of `unit`: above 0, at most 100,000. */
                        quantity?: number | null;
                        /** @description The unit of `quantity`, e.g. `cup`, `slice`, `g`: at most 40 characters. */
                        unit?: string | null;
                        /** @description The weight in grams: 0 to 100,000. Default with `foodId`: by quantity and unit, else the food's usual portion. */
                        grams?: number | null;
                        /** @description The meal that the entry belongs to. */
                        mealType?: string | null;
                        /**
                         * @description The origin of the entry: `MANUAL` (default), `AI` or `FOOD_TABLE`.
                         *     - `MANUAL`: The user has entered it.
                         *     - `AI`: An analysis by the AI provider, which the user confirmed.
                         *     - `FOOD_TABLE`: An estimate by the food table, which the user confirmed.
                         */
                        source?: ("MANUAL" | "AI" | "FOOD_TABLE") | null;
                        /** @description When it was eaten. Default: now, or noon of `localDate` if that is another day. */
                        loggedAt?: string | null;
                        /** @description The day that the entry counts for. Default: the day of `loggedAt` in the time zone. */
                        localDate?: string | null;
                        /** @description IANA time zone that decides the day. Default: your profile. */
                        timezone?: string | null;
                    }[];
                    /** @description The id of a food of the table, of your own food, or of a product. Absent values are computed from it. */
                    foodId?: string | null;
                    /** @description The name of what was eaten: at most 200 characters. Required without `foodId`. Default: the name of the food. */
                    foodName?: string | null;
                    /** @description Energy in whole kcal: 0 to 20,000. Required without `foodId`. Default: computed from the food and the weight. */
                    calories?: number | null;
                    /** @description Protein in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
                    protein?: number | null;
                    /** @description Carbohydrates in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
                    carbs?: number | null;
                    /** @description Fat in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
                    fats?: number | null;
                    /** @description Number of `unit`: above 0, at most 100,000. */
                    quantity?: number | null;
                    /** @description The unit of `quantity`, e.g. `cup`, `slice`, `g`: at most 40 characters. */
                    unit?: string | null;
                    /** @description The weight in grams: 0 to 100,000. Default with `foodId`: by quantity and unit, else the food's usual portion. */
                    grams?: number | null;
                    /** @description The meal that the entry belongs to. */
                    mealType?: string | null;
                    /**
                     * @description The origin of the entry: `MANUAL` (default), `AI` or `FOOD_TABLE`.
                     *     - `MANUAL`: The user has entered it.
                     *     - `AI`: An analysis by the AI provider, which the user confirmed.
                     *     - `FOOD_TABLE`: An estimate by the food table, which the user confirmed.
                     */
                    source?: ("MANUAL" | "AI" | "FOOD_TABLE") | null;
                    /** @description When it was eaten. Default: now, or noon of `localDate` if that is another day. */
                    loggedAt?: string | null;
                    /** @description The day that the entry counts for. Default: the day of `loggedAt` in the time zone. */
                    localDate?: string | null;
                    /** @description IANA time zone that decides the day. Default: your profile. */
                    timezone?: string | null;
                };
            };
        };
        responses: {
            /** @description The entry; for a meal, its entries and their totals. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "userId": "01900000-0000-7000-8000-000000000103",
                     *       "foodId": null,
                     *       "foodName": "Oatmeal",
                     *       "calories": 158,
                     *       "protein": 5.5,
                     *       "carbs": 27,
                     *       "fats": 3.2,
                     *       "quantity": null,
                     *       "unit": null,
                     *       "grams": null,
                     *       "mealType": "BREAKFAST",
                     *       "source": "MANUAL",
                     *       "loggedAt": "2026-06-14T11:00:00.000Z",
                     *       "localDate": "2026-06-14",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["FoodLog"] | components["schemas"]["LoggedMeal"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFoodLog: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description First day. */
                from?: string;
                /** @description Last day, included. */
                to?: string;
                mealType?: string;
            };
            header?: never;
            path: {
                /** @description Your own user id, or `me`. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8410-041000000015",
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "foodId": null,
                     *         "foodName": "Pizza, cheese, fast food 14\" regular crust",
                     *         "calories": 569,
                     *         "protein": 24.37,
                     *         "carbs": 71.33,
                     *         "fats": 20.74,
                     *         "quantity": 2,
                     *         "unit": "slice",
                     *         "grams": 214,
                     *         "mealType": "DINNER",
                     *         "source": "FOOD_TABLE",
                     *         "loggedAt": "2026-06-14T18:20:00.000Z",
                     *         "localDate": "2026-06-14",
                     *         "createdAt": "2026-06-14T18:20:00.000Z",
                     *         "version": 1
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8410-041000000016",
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "foodId": null,
                     *         "foodName": "Apple with skin",
                     *         "calories": 95,
                     *         "protein": 0.47,
                     *         "carbs": 25.13,
                     *         "fats": 0.31,
                     *         "quantity": 1,
                     *         "unit": "medium",
                     *         "grams": 182,
                     *         "mealType": "SNACK",
                     *         "source": "FOOD_TABLE",
                     *         "loggedAt": "2026-06-14T15:25:00.000Z",
                     *         "localDate": "2026-06-14",
                     *         "createdAt": "2026-06-14T15:25:00.000Z",
                     *         "version": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["FoodLog"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFoodLogEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "userId": "01900000-0000-7000-8000-000000000103",
                     *       "foodId": null,
                     *       "foodName": "Oatmeal",
                     *       "calories": 158,
                     *       "protein": 5.5,
                     *       "carbs": 27,
                     *       "fats": 3.2,
                     *       "quantity": null,
                     *       "unit": null,
                     *       "grams": null,
                     *       "mealType": "BREAKFAST",
                     *       "source": "MANUAL",
                     *       "loggedAt": "2026-06-14T11:00:00.000Z",
                     *       "localDate": "2026-06-14",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["FoodLog"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateFoodLogEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "calories": 172,
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description Another food; absent values are computed from it. Null: the entry has no food. */
                    foodId?: string | null;
                    /** @description The name of what was eaten: at most 200 characters. Default with a new food: its name. */
                    foodName?: string | null;
                    /** @description Energy in whole kcal: 0 to 20,000. */
                    calories?: number | null;
                    /** @description Protein in g, at most 5,000. */
                    protein?: number | null;
                    /** @description Carbohydrates in g, at most 5,000. */
                    carbs?: number | null;
                    /** @description Fat in g, at most 5,000. */
                    fats?: number | null;
                    /** @description Number of `unit`: above 0, at most 100,000. Null removes it. */
                    quantity?: number | null;
                    /** @description The unit of `quantity`, e.g. `cup`, `slice`, `g`: at most 40 characters. Null removes it. */
                    unit?: string | null;
                    /** @description The weight in grams: 0 to 100,000. Null: it is unknown. */
                    grams?: number | null;
                    /** @description The meal that the entry belongs to. Null removes it. */
                    mealType?: string | null;
                    /** @description When it was eaten. */
                    loggedAt?: string | null;
                    /** @description The day that the entry counts for. Default with `loggedAt`: its day in the time zone. */
                    localDate?: string | null;
                    /** @description IANA time zone that decides the day. Default: your profile. */
                    timezone?: string | null;
                    /** @description The version that the change is based on; absent: the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed entry. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "userId": "01900000-0000-7000-8000-000000000103",
                     *       "foodId": null,
                     *       "foodName": "Oatmeal",
                     *       "calories": 172,
                     *       "protein": 5.5,
                     *       "carbs": 27,
                     *       "fats": 3.2,
                     *       "quantity": null,
                     *       "unit": null,
                     *       "grams": null,
                     *       "mealType": "BREAKFAST",
                     *       "source": "MANUAL",
                     *       "loggedAt": "2026-06-14T11:00:00.000Z",
                     *       "localDate": "2026-06-14",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["FoodLog"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFoodLogEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    copyFoodLogEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mealType": "SNACK"
                 *     }
                 */
                "application/json": {
                    /** @description The meal that the copy belongs to. Absent: the same as the entry's; null: none. */
                    mealType?: string | null;
                    /** @description When it was eaten again. Default: now, or noon of `localDate` if that is another day. */
                    loggedAt?: string | null;
                    /** @description The day that the copy counts for. Default: the day of `loggedAt` in the time zone. */
                    localDate?: string | null;
                    /** @description IANA time zone that decides the day. Default: your profile. */
                    timezone?: string | null;
                };
            };
        };
        responses: {
            /** @description The new entry. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "userId": "01900000-0000-7000-8000-000000000103",
                     *       "foodId": null,
                     *       "foodName": "Oatmeal",
                     *       "calories": 172,
                     *       "protein": 5.5,
                     *       "carbs": 27,
                     *       "fats": 3.2,
                     *       "quantity": null,
                     *       "unit": null,
                     *       "grams": null,
                     *       "mealType": "SNACK",
                     *       "source": "COPY",
                     *       "loggedAt": "2026-06-15T10:00:00.000Z",
                     *       "localDate": "2026-06-15",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["FoodLog"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listGoals: {
        parameters: {
            query?: {
                /** @description Only for a service of the platform: the user. */
                userId?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The default goals, then the goals of weekdays, each with the latest first, then the goals of single dates. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "calories": 2100,
                     *         "protein": 120,
                     *         "carbs": 240,
                     *         "fats": 70,
                     *         "weekday": null,
                     *         "date": null,
                     *         "from": "2026-06-01",
                     *         "until": null,
                     *         "version": 1
                     *       },
                     *       {
                     *         "calories": 2300,
                     *         "protein": 130,
                     *         "carbs": 250,
                     *         "fats": 75,
                     *         "weekday": 6,
                     *         "date": null,
                     *         "from": "2026-06-15",
                     *         "until": null,
                     *         "version": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["NutritionGoal"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setGoal: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "calories": 2300,
                 *       "protein": 130,
                 *       "carbs": 250,
                 *       "fats": 75,
                 *       "weekday": 6
                 *     }
                 */
                "application/json": {
                    /** @description Only for a service of the platform: the user. */
                    userId?: string | null;
                    /** @description Energy in whole kcal per day: 1 to 20,000. */
                    calories: number;
                    /** @description Protein in g per day, at most 5,000. Null: no goal. */
                    protein?: number | null;
                    /** @description Carbohydrates in g per day, at most 5,000. Null: no goal. */
                    carbs?: number | null;
                    /** @description Fat in g per day, at most 5,000. Null: no goal. */
                    fats?: number | null;
                    /** @description The weekday of the goal: 1 (Monday) to 7 (Sunday). Not with `date`. */
                    weekday?: number | null;
                    /** @description The only day of the goal. Not with `weekday`. */
                    date?: string | null;
                    /** @description First day of the goal; it may be in the past. Default: your today. Not with `date`. */
                    from?: string | null;
                    /** @description The version that the change is based on; absent: the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The goal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "calories": 2300,
                     *       "protein": 130,
                     *       "carbs": 250,
                     *       "fats": 75,
                     *       "weekday": 6,
                     *       "date": null,
                     *       "from": "2026-06-15",
                     *       "until": null,
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["NutritionGoal"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteGoal: {
        parameters: {
            query?: {
                /** @description 1 (Monday) to 7 (Sunday). Not with `date`. */
                weekday?: number;
                date?: string;
                /** @description First day without the goal; earlier days keep it. Default: the user's today. Not with `date`. */
                from?: string;
                /** @description Only for a service of the platform: the user. */
                userId?: string;
            };
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The goal is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDays: {
        parameters: {
            query?: {
                /** @description First day. Default: six days before the last. */
                from?: string;
                /** @description Last day, included. Default: today. */
                to?: string;
                /** @description IANA time zone that decides which day is today. Default: the user's profile. */
                timezone?: string;
            };
            header?: never;
            path: {
                /** @description Your own user id, or `me`. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-06-08",
                     *       "to": "2026-06-14",
                     *       "days": [
                     *         {
                     *           "date": "2026-06-08",
                     *           "totals": {
                     *             "calories": 1355,
                     *             "protein": 83.85,
                     *             "carbs": 136.07,
                     *             "fats": 54.54
                     *           },
                     *           "goal": {
                     *             "calories": 2100,
                     *             "protein": 120,
                     *             "carbs": 240,
                     *             "fats": 70,
                     *             "weekday": null,
                     *             "date": null,
                     *             "from": "2026-06-01",
                     *             "until": null,
                     *             "version": 1
                     *           },
                     *           "remaining": {
                     *             "calories": 745,
                     *             "protein": 36.15,
                     *             "carbs": 103.93,
                     *             "fats": 15.46
                     *           },
                     *           "entries": [
                     *             {
                     *               "id": "01900000-0000-7000-8410-041000000071",
                     *               "userId": "01900000-0000-7000-8000-000000000103",
                     *               "foodId": null,
                     *               "foodName": "Greek yogurt, plain nonfat",
                     *               "calories": 100,
                     *               "protein": 17.32,
                     *               "carbs": 6.12,
                     *               "fats": 0.66,
                     *               "quantity": 1,
                     *               "unit": "container",
                     *               "grams": 170,
                     *               "mealType": "BREAKFAST",
                     *               "source": "FOOD_TABLE",
                     *               "loggedAt": "2026-06-08T07:00:00.000Z",
                     *               "localDate": "2026-06-08",
                     *               "createdAt": "2026-06-08T07:00:00.000Z",
                     *               "version": 1
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-8410-041000000072",
                     *               "userId": "01900000-0000-7000-8000-000000000103",
                     *               "foodId": null,
                     *               "foodName": "Salmon, Atlantic farmed, baked",
                     *               "calories": 309,
                     *               "protein": 33.15,
                     *               "carbs": 0,
                     *               "fats": 18.53,
                     *               "quantity": 150,
                     *               "unit": "g",
                     *               "grams": 150,
                     *               "mealType": "LUNCH",
                     *               "source": "FOOD_TABLE",
                     *               "loggedAt": "2026-06-08T12:05:00.000Z",
                     *               "localDate": "2026-06-08",
                     *               "createdAt": "2026-06-08T12:05:00.000Z",
                     *               "version": 1
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "date": "2026-06-09",
                     *           "totals": {
                     *             "calories": 1119,
                     *             "protein": 72.51,
                     *             "carbs": 176.69,
                     *             "fats": 12.08
                     *           },
                     *           "goal": {
                     *             "calories": 2100,
                     *             "protein": 120,
                     *             "carbs": 240,
                     *             "fats": 70,
                     *             "weekday": null,
                     *             "date": null,
                     *             "from": "2026-06-01",
                     *             "until": null,
                     *             "version": 1
                     *           },
                     *           "remaining": {
                     *             "calories": 981,
                     *             "protein": 47.49,
                     *             "carbs": 63.31,
                     *             "fats": 57.92
                     *           },
                     *           "entries": [
                     *             {
                     *               "id": "01900000-0000-7000-8410-041000000061",
                     *               "userId": "01900000-0000-7000-8000-000000000103",
                     *               "foodId": null,
                     *               "foodName": "Oatmeal, cooked with water",
                     *               "calories": 166,
                     *               "protein": 5.94,
                     *               "carbs": 28.08,
                     *               "fats": 3.56,
                     *               "quantity": 1,
                     *               "unit": "cup",
                     *               "grams": 234,
                     *               "mealType": "BREAKFAST",
                     *               "source": "FOOD_TABLE",
                     *               "loggedAt": "2026-06-09T07:00:00.000Z",
                     *               "localDate": "2026-06-09",
                     *               "createdAt": "2026-06-09T07:00:00.000Z",
                     *               "version": 1
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-8410-041000000062",
                     *               "userId": "01900000-0000-7000-8000-000000000103",
                     *               "foodId": null,
                     *               "foodName": "Chicken breast, roasted, skinless",
                     *               "calories": 248,
                     *               "protein": 46.53,
                     *               "carbs": 0,
                     *               "fats": 5.36,
                     *               "quantity": 150,
                     *               "unit": "g",
                     *               "grams": 150,
                     *               "mealType": "LUNCH",
                     *               "source": "FOOD_TABLE",
                     *               "loggedAt": "2026-06-09T12:05:00.000Z",
                     *               "localDate": "2026-06-09",
                     *               "createdAt": "2026-06-09T12:05:00.000Z",
                     *               "version": 1
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "averages": {
                     *         "calories": 1161,
                     *         "protein": 72.294,
                     *         "carbs": 143.683,
                     *         "fats": 33.88
                     *       },
                     *       "loggedDays": 7
                     *     }
                     */
                    "application/json": components["schemas"]["DailyNutrition"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getNutritionSeries: {
        parameters: {
            query?: {
                /** @description First day. Default: 29 days before the last. */
                from?: string;
                /** @description Last day, included. Default: today. */
                to?: string;
                /** @description IANA time zone that decides which day is today. Default: the user's profile. */
                timezone?: string;
                /** @description day, week (from Monday) or month. Default: day. */
                bucket?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Your own user id, or `me`. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One point for each bucket, the oldest first, also for buckets without entries. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "start": "2026-06-08",
                     *         "end": "2026-06-08",
                     *         "totals": {
                     *           "calories": 1355,
                     *           "protein": 83.85,
                     *           "carbs": 136.07,
                     *           "fats": 54.54
                     *         },
                     *         "averages": {
                     *           "calories": 1355,
                     *           "protein": 83.85,
                     *           "carbs": 136.07,
                     *           "fats": 54.54
                     *         },
                     *         "goal": {
                     *           "calories": 2100,
                     *           "protein": 120,
                     *           "carbs": 240,
                     *           "fats": 70
                     *         },
                     *         "loggedDays": 1,
                     *         "entries": 6
                     *       },
                     *       {
                     *         "start": "2026-06-09",
                     *         "end": "2026-06-09",
                     *         "totals": {
                     *           "calories": 1119,
                     *           "protein": 72.51,
                     *           "carbs": 176.69,
                     *           "fats": 12.08
                     *         },
                     *         "averages": {
                     *           "calories": 1119,
                     *           "protein": 72.51,
                     *           "carbs": 176.69,
                     *           "fats": 12.08
                     *         },
                     *         "goal": {
                     *           "calories": 2100,
                     *           "protein": 120,
                     *           "carbs": 240,
                     *           "fats": 70
                     *         },
                     *         "loggedDays": 1,
                     *         "entries": 5
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["NutritionPoint"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getNutritionChart: {
        parameters: {
            query?: {
                /** @description First day. Default: 29 days before the last. */
                from?: string;
                /** @description Last day, included. Default: today. */
                to?: string;
                /** @description IANA time zone that decides which day is today. Default: the user's profile. */
                timezone?: string;
                /** @description day, week (from Monday) or month. Default: day. */
                bucket?: string;
                /** @description calories (default), protein, carbs or fats. */
                metric?: "calories" | "protein" | "carbs" | "fats";
            };
            header?: never;
            path: {
                /** @description Your own user id, or `me`. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFoods: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description Words of a name; the best match comes first. The beginning of a word is enough; small typing errors are corrected. */
                search?: string | null;
                /** @description For example fruit, dairy. */
                category?: string | null;
                /** @description true: only foods that you have logged by their id, the last one first. */
                recent?: (boolean | ("true" | "false")) | null;
                /** @description true: only your favourites. */
                favourite?: (boolean | ("true" | "false")) | null;
                /** @description Language of the names. Default: the language of your profile; without a token, of Accept-Language. */
                locale?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of foods. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "oats_dry",
                     *         "name": "Oats",
                     *         "brand": null,
                     *         "barcode": null,
                     *         "category": "grains",
                     *         "ndb": "08120",
                     *         "per100g": {
                     *           "calories": 379,
                     *           "protein": 13.15,
                     *           "carbs": 67.7,
                     *           "fats": 6.52,
                     *           "fibre": 10.1,
                     *           "sugars": 0.99,
                     *           "salt": 0.015
                     *         },
                     *         "measures": [
                     *           {
                     *             "name": "cup",
                     *             "grams": 81
                     *           },
                     *           {
                     *             "name": "tbsp",
                     *             "grams": 5
                     *           }
                     *         ],
                     *         "portion": {
                     *           "amount": 50,
                     *           "unit": "g",
                     *           "grams": 50
                     *         },
                     *         "custom": false,
                     *         "version": 1
                     *       },
                     *       {
                     *         "id": "flapjack",
                     *         "name": "Flapjack",
                     *         "brand": null,
                     *         "barcode": null,
                     *         "category": "bakery",
                     *         "ndb": null,
                     *         "per100g": {
                     *           "calories": 434,
                     *           "protein": 5.469,
                     *           "carbs": 60.107,
                     *           "fats": 20.492,
                     *           "fibre": 4.04,
                     *           "sugars": 33.227,
                     *           "salt": 0.403
                     *         },
                     *         "measures": [
                     *           {
                     *             "name": "piece",
                     *             "grams": 70
                     *           }
                     *         ],
                     *         "portion": {
                     *           "amount": 1,
                     *           "unit": "piece",
                     *           "grams": 70
                     *         },
                     *         "custom": false,
                     *         "version": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Food"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createFood: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Granola of the house",
                 *       "barcode": "4006381333931",
                 *       "per100g": {
                 *         "calories": 430,
                 *         "protein": 11,
                 *         "carbs": 58,
                 *         "fats": 16,
                 *         "fibre": 8
                 *       },
                 *       "measures": [
                 *         {
                 *           "name": "bowl",
                 *           "grams": 60
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The name of the food: at most 200 characters. */
                    name: string;
                    /** @description The brand: at most 100 characters. */
                    brand?: string | null;
                    /** @description The digits of the barcode: EAN-8, UPC-A or EAN-13; null if there is none. */
                    barcode?: string | null;
                    /** @description The nutrients of 100 g. */
                    per100g: {
                        /** @description Energy in kcal, at most 902. */
                        calories: number;
                        /** @description Protein in g, at most 100. */
                        protein?: number | null;
                        /** @description Carbohydrates in g, at most 100. */
                        carbs?: number | null;
                        /** @description Fat in g, at most 100. */
                        fats?: number | null;
                        /** @description Fibre in g, at most 100. */
                        fibre?: number | null;
                        /** @description Sugars in g, part of the carbohydrates: at most 100. */
                        sugars?: number | null;
                        /** @description Salt in g, at most 100. */
                        salt?: number | null;
                    };
                    /** @description Household measures: at most 20. */
                    measures?: {
                        /** @description The name of the measure, e.g. `slice`: at most 40 characters, each name once. */
                        name: string;
                        /** @description The weight of one such measure in grams: above 0, at most 5,000. */
                        grams: number;
                    }[] | null;
                };
            };
        };
        responses: {
            /** @description The food. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Granola of the house",
                     *       "brand": null,
                     *       "barcode": "4006381333931",
                     *       "category": null,
                     *       "ndb": null,
                     *       "per100g": {
                     *         "calories": 430,
                     *         "protein": 11,
                     *         "carbs": 58,
                     *         "fats": 16,
                     *         "fibre": 8,
                     *         "sugars": null,
                     *         "salt": null
                     *       },
                     *       "measures": [
                     *         {
                     *           "name": "bowl",
                     *           "grams": 60
                     *         }
                     *       ],
                     *       "portion": null,
                     *       "custom": true,
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Food"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFoodByBarcode: {
        parameters: {
            query?: {
                /** @description Language of the names. Default: the language of your profile; without a token, of Accept-Language. */
                locale?: string | null;
            };
            header?: never;
            path: {
                /** @description The digits of the barcode: EAN-8, UPC-A or EAN-13. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The food. `POST /log` accepts its id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Granola of the house",
                     *       "brand": null,
                     *       "barcode": "4006381333931",
                     *       "category": null,
                     *       "ndb": null,
                     *       "per100g": {
                     *         "calories": 430,
                     *         "protein": 11,
                     *         "carbs": 58,
                     *         "fats": 16,
                     *         "fibre": 8,
                     *         "sugars": null,
                     *         "salt": null
                     *       },
                     *       "measures": [
                     *         {
                     *           "name": "bowl",
                     *           "grams": 60
                     *         }
                     *       ],
                     *       "portion": null,
                     *       "custom": true,
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Food"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFood: {
        parameters: {
            query?: {
                /** @description Language of the names. Default: the language of your profile; without a token, of Accept-Language. */
                locale?: string | null;
            };
            header?: never;
            path: {
                /** @description The food's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The food. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Granola of the house",
                     *       "brand": null,
                     *       "barcode": "4006381333931",
                     *       "category": null,
                     *       "ndb": null,
                     *       "per100g": {
                     *         "calories": 430,
                     *         "protein": 11,
                     *         "carbs": 58,
                     *         "fats": 16,
                     *         "fibre": 8,
                     *         "sugars": null,
                     *         "salt": null
                     *       },
                     *       "measures": [
                     *         {
                     *           "name": "bowl",
                     *           "grams": 60
                     *         }
                     *       ],
                     *       "portion": null,
                     *       "custom": true,
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Food"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateFood: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The food's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "brand": "Home made",
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description The name of the food: at most 200 characters. */
                    name?: string | null;
                    /** @description The brand: at most 100 characters. Null removes it. */
                    brand?: string | null;
                    /** @description The digits of the barcode: EAN-8, UPC-A or EAN-13. Null removes it. */
                    barcode?: string | null;
                    /** @description Household measures: at most 20. They replace all measures. */
                    measures?: {
                        /** @description The name of the measure, e.g. `slice`: at most 40 characters, each name once. */
                        name: string;
                        /** @description The weight of one such measure in grams: above 0, at most 5,000. */
                        grams: number;
                    }[] | null;
                    /** @description Changes of the nutrients of 100 g. */
                    per100g?: {
                        /** @description Energy in kcal, at most 902. It cannot become unknown. */
                        calories?: number;
                        /** @description Protein in g, at most 100. */
                        protein?: number | null;
                        /** @description Carbohydrates in g, at most 100. */
                        carbs?: number | null;
                        /** @description Fat in g, at most 100. */
                        fats?: number | null;
                        /** @description Fibre in g, at most 100. */
                        fibre?: number | null;
                        /** @description Sugars in g, part of the carbohydrates: at most 100. */
                        sugars?: number | null;
                        /** @description Salt in g, at most 100. */
                        salt?: number | null;
                    } | null;
                    /** @description The version that the change is based on; absent: the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed food. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Granola of the house",
                     *       "brand": "Home made",
                     *       "barcode": "4006381333931",
                     *       "category": null,
                     *       "ndb": null,
                     *       "per100g": {
                     *         "calories": 430,
                     *         "protein": 11,
                     *         "carbs": 58,
                     *         "fats": 16,
                     *         "fibre": 8,
                     *         "sugars": null,
                     *         "salt": null
                     *       },
                     *       "measures": [
                     *         {
                     *           "name": "bowl",
                     *           "grams": 60
                     *         }
                     *       ],
                     *       "portion": null,
                     *       "custom": true,
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Food"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFood: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The food's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The food is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addFavouriteFood: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The food's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The food. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Granola of the house",
                     *       "brand": "Home made",
                     *       "barcode": "4006381333931",
                     *       "category": null,
                     *       "ndb": null,
                     *       "per100g": {
                     *         "calories": 430,
                     *         "protein": 11,
                     *         "carbs": 58,
                     *         "fats": 16,
                     *         "fibre": 8,
                     *         "sugars": null,
                     *         "salt": null
                     *       },
                     *       "measures": [
                     *         {
                     *           "name": "bowl",
                     *           "grams": 60
                     *         }
                     *       ],
                     *       "portion": null,
                     *       "custom": true,
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Food"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeFavouriteFood: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The food's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The food. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Granola of the house",
                     *       "brand": "Home made",
                     *       "barcode": "4006381333931",
                     *       "category": null,
                     *       "ndb": null,
                     *       "per100g": {
                     *         "calories": 430,
                     *         "protein": 11,
                     *         "carbs": 58,
                     *         "fats": 16,
                     *         "fibre": 8,
                     *         "sugars": null,
                     *         "salt": null
                     *       },
                     *       "measures": [
                     *         {
                     *           "name": "bowl",
                     *           "grams": 60
                     *         }
                     *       ],
                     *       "portion": null,
                     *       "custom": true,
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Food"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    nutritionListAccountRecords: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [],
                     *       "kinds": [
                     *         "foodLogs",
                     *         "goals"
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountRecords"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    nutritionEraseAccountRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "DELETED",
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountVerdict"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    nutritionListJobs: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description `true`: only jobs that have failed for good; `false`: only the others. */
                failed?: "true" | "false";
                /** @description Only jobs with this name. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "3",
                     *         "name": "remove_failed_jobs",
                     *         "attempts": 0,
                     *         "maxAttempts": 25,
                     *         "error": null,
                     *         "status": "PENDING",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "runAt": "2026-06-16T10:00:00.000Z",
                     *         "payload": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Job"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    nutritionRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job begins as soon as a worker is free. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3",
                     *       "name": "remove_failed_jobs",
                     *       "attempts": 0,
                     *       "maxAttempts": 25,
                     *       "error": null,
                     *       "status": "PENDING",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "runAt": "2026-06-15T10:00:00.000Z",
                     *       "payload": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listExercises: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description Words of names, categories, muscles, levels and so on; the best match comes first. The beginning of a word is enough; joined and split words and small typing errors are corrected. A text without a letter or digit, such as `%`, finds nothing. */
                search?: string;
                /** @description Only what this gym has added, as far as you may see it. */
                gymId?: string;
                /** @description A primary or secondary muscle, e.g. chest. */
                muscle?: string;
                /** @description What the exercise needs, e.g. barbell. */
                equipment?: string;
                /** @description Beginner, Intermediate or Advanced. */
                difficulty?: string;
                /** @description The category of the exercise, e.g. strength. */
                category?: string;
                /** @description What a set of the exercise measures, e.g. WEIGHT_REPS. */
                modality?: string;
                /** @description Default: the best match first if there is a search, else by name. */
                sort?: "name" | "newest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of exercises. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000001",
                     *         "name": "Barbell Back Squat",
                     *         "aliases": [
                     *           "squat",
                     *           "back squat"
                     *         ],
                     *         "description": null,
                     *         "instructions": [
                     *           "Set the bar on your upper back, step out of the rack and stand at shoulder width.",
                     *           "Brace your core and sit down between your hips with your knees over your toes."
                     *         ],
                     *         "primaryMuscles": [
                     *           "quadriceps"
                     *         ],
                     *         "secondaryMuscles": [
                     *           "glutes",
                     *           "adductors"
                     *         ],
                     *         "equipment": "barbell",
                     *         "level": "Intermediate",
                     *         "force": "push",
                     *         "mechanic": "compound",
                     *         "category": "strength",
                     *         "modality": "WEIGHT_REPS",
                     *         "image": null,
                     *         "gymId": null,
                     *         "version": 1
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000002",
                     *         "name": "Deep Squat Hold",
                     *         "aliases": [
                     *           "squat hold",
                     *           "malasana squat"
                     *         ],
                     *         "description": null,
                     *         "instructions": [
                     *           "Stand a little wider than your shoulders with your toes out.",
                     *           "Sink into the deepest squat that you can hold with your heels down."
                     *         ],
                     *         "primaryMuscles": [
                     *           "glutes",
                     *           "adductors"
                     *         ],
                     *         "secondaryMuscles": [
                     *           "calves",
                     *           "quadriceps"
                     *         ],
                     *         "equipment": "none",
                     *         "level": "Beginner",
                     *         "force": null,
                     *         "mechanic": null,
                     *         "category": "mobility",
                     *         "modality": "DURATION",
                     *         "image": null,
                     *         "gymId": null,
                     *         "version": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Exercise"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createExercise: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Sled Push with Turn",
                 *       "primaryMuscles": [
                 *         "Quadriceps"
                 *       ],
                 *       "secondaryMuscles": [
                 *         "Glutes"
                 *       ],
                 *       "equipment": "Sled",
                 *       "level": "Intermediate",
                 *       "modality": "WEIGHT_DISTANCE"
                 *     }
                 */
                "application/json": {
                    /** @description For a SUPER_ADMIN: the gym that it belongs to; absent: it belongs to the common library. The exercise of a GYM_ADMIN belongs to their gym, which they may name. */
                    gymId?: string | null;
                    /** @description The name that users see: at most 120 characters. */
                    name: string;
                    /** @description Other names that people use: at most 20, each of at most 120 characters. */
                    aliases?: string[] | null;
                    /** @description What users should know about the exercise: at most 5,000 characters. */
                    description?: string | null;
                    /** @description How to do it, step by step: at most 20 steps of 500 characters. */
                    instructions?: string[] | null;
                    /** @description The muscles that do most of the work, e.g. `chest`: 1 to 20, each of at most 40 characters. They are stored in lower case. */
                    primaryMuscles: string[];
                    /** @description The muscles that help: at most 20, each of at most 40 characters. They are stored in lower case. */
                    secondaryMuscles?: string[] | null;
                    /** @description What the exercise needs, e.g. `barbell`; `bodyweight` if the body is the load. At most 40 characters, stored in lower case. Default: `none`. */
                    equipment?: string | null;
                    /**
                     * @description For whom the exercise is suitable. Default: `Beginner`.
                     *     - `Beginner`: For people who begin to train.
                     *     - `Intermediate`: For people who have trained for some time.
                     *     - `Advanced`: For people who have trained for a long time.
                     */
                    level?: ("Beginner" | "Intermediate" | "Advanced") | null;
                    /** @description The direction of the movement: `push`, `pull` or `static`; null if it is none of them. */
                    force?: ("push" | "pull" | "static") | null;
                    /** @description Whether several joints move or one: `compound` or `isolation`; null if it is neither. */
                    mechanic?: ("compound" | "isolation") | null;
                    /** @description What kind of exercise it is, e.g. `strength`, `cardio`, `stretching`: at most 40 characters, stored in lower case. Default: `strength`. */
                    category?: string | null;
                    /**
                     * @description What a set of the exercise measures.
                     *     - `WEIGHT_REPS`: Repetitions: `reps` or `repRange`, with or without `weightKg`.
                     *     - `BODYWEIGHT_REPS`: Repetitions: `reps` or `repRange`.
                     *     - `WEIGHTED_BODYWEIGHT`: Repetitions: `reps` or `repRange`, with or without one of `weightKg`, which is added to the weight of the body, and `assistedKg`, by which a band or a machine reduces it.
                     *     - `DURATION`: A time: `durationSeconds`.
                     *     - `WEIGHT_DURATION`: A time: `durationSeconds`, with or without `weightKg`.
                     *     - `DISTANCE_DURATION`: A distance or a time: `distanceMeters`, `durationSeconds` or both.
                     *     - `WEIGHT_DISTANCE`: A distance or a time: `distanceMeters`, `durationSeconds` or both, with or without `weightKg`.
                     * @enum {string}
                     */
                    modality: "WEIGHT_REPS" | "BODYWEIGHT_REPS" | "WEIGHTED_BODYWEIGHT" | "DURATION" | "WEIGHT_DURATION" | "DISTANCE_DURATION" | "WEIGHT_DISTANCE";
                };
            };
        };
        responses: {
            /** @description The new exercise. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Sled Push with Turn",
                     *       "aliases": [],
                     *       "description": null,
                     *       "instructions": [],
                     *       "primaryMuscles": [
                     *         "quadriceps"
                     *       ],
                     *       "secondaryMuscles": [
                     *         "glutes"
                     *       ],
                     *       "equipment": "sled",
                     *       "level": "Intermediate",
                     *       "force": null,
                     *       "mechanic": null,
                     *       "category": "strength",
                     *       "modality": "WEIGHT_DISTANCE",
                     *       "image": null,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Exercise"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listExerciseCategories: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each category with the number of its exercises. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "cardio",
                     *         "exercises": 39
                     *       },
                     *       {
                     *         "name": "mobility",
                     *         "exercises": 13
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Facet"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getExercise: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exercise. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "name": "Barbell Back Squat",
                     *       "aliases": [
                     *         "squat",
                     *         "back squat"
                     *       ],
                     *       "description": null,
                     *       "instructions": [
                     *         "Set the bar on your upper back, step out of the rack and stand at shoulder width.",
                     *         "Brace your core and sit down between your hips with your knees over your toes."
                     *       ],
                     *       "primaryMuscles": [
                     *         "quadriceps"
                     *       ],
                     *       "secondaryMuscles": [
                     *         "glutes",
                     *         "adductors"
                     *       ],
                     *       "equipment": "barbell",
                     *       "level": "Intermediate",
                     *       "force": "push",
                     *       "mechanic": "compound",
                     *       "category": "strength",
                     *       "modality": "WEIGHT_REPS",
                     *       "image": null,
                     *       "gymId": null,
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Exercise"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateExercise: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Push the sled 20 m, turn, and push it back."
                 *     }
                 */
                "application/json": {
                    /** @description The name that users see: at most 120 characters. */
                    name?: string | null;
                    /** @description Other names that people use: at most 20, each of at most 120 characters. They replace all names. */
                    aliases?: string[] | null;
                    /** @description What users should know about the exercise: at most 5,000 characters. Null removes it. */
                    description?: string | null;
                    /** @description How to do it, step by step: at most 20 steps of 500 characters. They replace all steps. */
                    instructions?: string[] | null;
                    /** @description The muscles that do most of the work: 1 to 20, each of at most 40 characters. They replace all of them. */
                    primaryMuscles?: string[] | null;
                    /** @description The muscles that help: at most 20, each of at most 40 characters. They replace all of them. */
                    secondaryMuscles?: string[] | null;
                    /** @description What the exercise needs, e.g. `barbell`; `bodyweight` if the body is the load, `none` if nothing is needed. At most 40 characters, stored in lower case. */
                    equipment?: string | null;
                    /**
                     * @description For whom the exercise is suitable.
                     *     - `Beginner`: For people who begin to train.
                     *     - `Intermediate`: For people who have trained for some time.
                     *     - `Advanced`: For people who have trained for a long time.
                     */
                    level?: ("Beginner" | "Intermediate" | "Advanced") | null;
                    /** @description The direction of the movement: `push`, `pull` or `static`; null if it is none of them. */
                    force?: ("push" | "pull" | "static") | null;
                    /** @description Whether several joints move or one: `compound` or `isolation`; null if it is neither. */
                    mechanic?: ("compound" | "isolation") | null;
                    /** @description What kind of exercise it is, e.g. `strength`, `cardio`, `stretching`: at most 40 characters, stored in lower case. */
                    category?: string | null;
                    /**
                     * @description What a set of the exercise measures.
                     *     - `WEIGHT_REPS`: Repetitions: `reps` or `repRange`, with or without `weightKg`.
                     *     - `BODYWEIGHT_REPS`: Repetitions: `reps` or `repRange`.
                     *     - `WEIGHTED_BODYWEIGHT`: Repetitions: `reps` or `repRange`, with or without one of `weightKg`, which is added to the weight of the body, and `assistedKg`, by which a band or a machine reduces it.
                     *     - `DURATION`: A time: `durationSeconds`.
                     *     - `WEIGHT_DURATION`: A time: `durationSeconds`, with or without `weightKg`.
                     *     - `DISTANCE_DURATION`: A distance or a time: `distanceMeters`, `durationSeconds` or both.
                     *     - `WEIGHT_DISTANCE`: A distance or a time: `distanceMeters`, `durationSeconds` or both, with or without `weightKg`.
                     */
                    modality?: ("WEIGHT_REPS" | "BODYWEIGHT_REPS" | "WEIGHTED_BODYWEIGHT" | "DURATION" | "WEIGHT_DURATION" | "DISTANCE_DURATION" | "WEIGHT_DISTANCE") | null;
                    /** @description The version that the change is based on; absent: the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed exercise. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Sled Push with Turn",
                     *       "aliases": [],
                     *       "description": "Push the sled 20 m, turn, and push it back.",
                     *       "instructions": [],
                     *       "primaryMuscles": [
                     *         "quadriceps"
                     *       ],
                     *       "secondaryMuscles": [
                     *         "glutes"
                     *       ],
                     *       "equipment": "sled",
                     *       "level": "Intermediate",
                     *       "force": null,
                     *       "mechanic": null,
                     *       "category": "strength",
                     *       "modality": "WEIGHT_DISTANCE",
                     *       "image": null,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Exercise"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteExercise: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exercise is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMuscles: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each muscle with the number of exercises that train it as a primary muscle. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "abdominals",
                     *         "exercises": 65
                     *       },
                     *       {
                     *         "name": "abductors",
                     *         "exercises": 10
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Facet"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listEquipment: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each piece with the number of exercises that need it. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "ab wheel",
                     *         "exercises": 1
                     *       },
                     *       {
                     *         "name": "atlas stone",
                     *         "exercises": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Facet"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkouts: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description Words of names, categories, muscles, levels and so on; the best match comes first. The beginning of a word is enough; joined and split words and small typing errors are corrected. A text without a letter or digit, such as `%`, finds nothing. */
                search?: string;
                /** @description Only what this gym has added, as far as you may see it. */
                gymId?: string;
                /** @description A target muscle, e.g. chest. */
                muscle?: string;
                /** @description Beginner, Intermediate or Advanced. */
                difficulty?: string;
                /** @description A piece of equipment that one of its exercises needs, e.g. barbell. */
                equipment?: string;
                /** @description The category of the routine, e.g. Strength. Upper and lower case do not matter. */
                category?: string;
                /** @description Routines with this exercise. */
                exerciseId?: string;
                /** @description Only routines that take at most this many minutes. */
                maxMinutes?: number;
                /** @description Default: the best match first if there is a search, else by title. */
                sort?: "title" | "newest" | "duration";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of routines. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8401-040100000007",
                     *         "title": "Bodyweight Anywhere",
                     *         "description": "No equipment, four rounds, twenty minutes.",
                     *         "difficulty": "Beginner",
                     *         "category": "Bodyweight",
                     *         "targetMuscles": [
                     *           "chest",
                     *           "quadriceps"
                     *         ],
                     *         "equipment": [
                     *           "bodyweight"
                     *         ],
                     *         "exercises": [
                     *           {
                     *             "name": "Circuit",
                     *             "entries": [
                     *               {
                     *                 "sets": [
                     *                   {
                     *                     "rpe": 8,
                     *                     "type": "NORMAL",
                     *                     "repRange": {
                     *                       "max": 15,
                     *                       "min": 8
                     *                     },
                     *                     "restSeconds": 20
                     *                   },
                     *                   {
                     *                     "rpe": 8,
                     *                     "type": "NORMAL",
                     *                     "repRange": {
                     *                       "max": 15,
                     *                       "min": 8
                     *                     },
                     *                     "restSeconds": 20
                     *                   }
                     *                 ],
                     *                 "exerciseId": "01900000-0000-7000-9000-000000000003"
                     *               },
                     *               {
                     *                 "sets": [
                     *                   {
                     *                     "reps": 15,
                     *                     "type": "NORMAL",
                     *                     "restSeconds": 20
                     *                   },
                     *                   {
                     *                     "reps": 15,
                     *                     "type": "NORMAL",
                     *                     "restSeconds": 20
                     *                   }
                     *                 ],
                     *                 "exerciseId": "01900000-0000-7000-9000-000000000004"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "image": null,
                     *         "durationMinutes": 23,
                     *         "gymId": null,
                     *         "version": 1,
                     *         "createdAt": "2026-01-01T00:00:00.000Z",
                     *         "updatedAt": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkoutRoutine"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWorkout: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Sled and Squat",
                 *       "difficulty": "Intermediate",
                 *       "category": "Strength",
                 *       "targetMuscles": [
                 *         "Quadriceps",
                 *         "Glutes"
                 *       ],
                 *       "exercises": [
                 *         {
                 *           "name": "Main part",
                 *           "restSeconds": 120,
                 *           "entries": [
                 *             {
                 *               "exerciseId": "01900000-0000-7000-9000-000000000006",
                 *               "sets": [
                 *                 {
                 *                   "type": "NORMAL",
                 *                   "distanceMeters": 20,
                 *                   "weightKg": 60,
                 *                   "restSeconds": 90
                 *                 }
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       ],
                 *       "durationMinutes": 30
                 *     }
                 */
                "application/json": {
                    /** @description For a SUPER_ADMIN: the gym that it belongs to; absent: it is global. The routine of a GYM_ADMIN belongs to their gym, which they may name. */
                    gymId?: string | null;
                    /** @description The title that users see: at most 120 characters. */
                    title: string;
                    /** @description What users should know about the routine: at most 5,000 characters. */
                    description?: string | null;
                    /**
                     * @description For whom the routine is suitable.
                     *     - `Beginner`: For people who begin to train.
                     *     - `Intermediate`: For people who have trained for some time.
                     *     - `Advanced`: For people who have trained for a long time.
                     * @enum {string}
                     */
                    difficulty: "Beginner" | "Intermediate" | "Advanced";
                    /** @description What kind of workout it is, e.g. `Strength`, `Cardio`: at most 40 characters. */
                    category: string;
                    /** @description The muscles that the routine trains: at most 20, each of at most 40 characters. They are stored in lower case. Default: the primary muscles of its exercises. */
                    targetMuscles?: string[] | null;
                    /**
                     * @description At most 50 blocks, as `WorkoutRoutine.exercises` describes them.
                     * @default []
                     */
                    exercises?: components["schemas"]["WorkoutBlock"][];
                    /** @description How long the routine takes, in minutes: 1 to 1,440. Default: estimated from the sets. */
                    durationMinutes?: number | null;
                };
            };
        };
        responses: {
            /** @description The new routine. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "title": "Sled and Squat",
                     *       "description": null,
                     *       "difficulty": "Intermediate",
                     *       "category": "Strength",
                     *       "targetMuscles": [
                     *         "quadriceps",
                     *         "glutes"
                     *       ],
                     *       "equipment": [
                     *         "sled"
                     *       ],
                     *       "exercises": [
                     *         {
                     *           "name": "Main part",
                     *           "restSeconds": 120,
                     *           "entries": [
                     *             {
                     *               "exerciseId": "01900000-0000-7000-9000-000000000006",
                     *               "sets": [
                     *                 {
                     *                   "type": "NORMAL",
                     *                   "distanceMeters": 20,
                     *                   "weightKg": 60,
                     *                   "restSeconds": 90
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "image": null,
                     *       "durationMinutes": 30,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 1,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkoutRoutine"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkoutsOfCategory: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The category of the routine, e.g. Strength. Upper and lower case do not matter. */
                category: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of routines. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8401-040100000005",
                     *         "title": "Five by Five",
                     *         "description": "Heavy fives of squat, bench and row; add 2.5 kg when all are done.",
                     *         "difficulty": "Advanced",
                     *         "category": "Strength",
                     *         "targetMuscles": [
                     *           "quadriceps",
                     *           "chest"
                     *         ],
                     *         "equipment": [
                     *           "barbell"
                     *         ],
                     *         "exercises": [
                     *           {
                     *             "entries": [
                     *               {
                     *                 "sets": [
                     *                   {
                     *                     "reps": 5,
                     *                     "type": "WARMUP",
                     *                     "weightKg": 40,
                     *                     "restSeconds": 60
                     *                   },
                     *                   {
                     *                     "reps": 5,
                     *                     "type": "WARMUP",
                     *                     "weightKg": 70,
                     *                     "restSeconds": 60
                     *                   }
                     *                 ],
                     *                 "exerciseId": "01900000-0000-7000-9000-000000000001"
                     *               }
                     *             ]
                     *           },
                     *           {
                     *             "entries": [
                     *               {
                     *                 "sets": [
                     *                   {
                     *                     "reps": 5,
                     *                     "type": "WARMUP",
                     *                     "weightKg": 40,
                     *                     "restSeconds": 60
                     *                   },
                     *                   {
                     *                     "reps": 5,
                     *                     "type": "NORMAL",
                     *                     "weightKg": 80,
                     *                     "restSeconds": 180
                     *                   }
                     *                 ],
                     *                 "exerciseId": "01900000-0000-7000-9000-000000000005"
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "image": null,
                     *         "durationMinutes": 52,
                     *         "gymId": null,
                     *         "version": 1,
                     *         "createdAt": "2026-01-01T00:00:00.000Z",
                     *         "updatedAt": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkoutRoutine"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWorkout: {
        parameters: {
            query?: {
                /** @description Return this version; absent: the current one. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The routine. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8401-040100000007",
                     *       "title": "Bodyweight Anywhere",
                     *       "description": "No equipment, four rounds, twenty minutes.",
                     *       "difficulty": "Beginner",
                     *       "category": "Bodyweight",
                     *       "targetMuscles": [
                     *         "chest",
                     *         "quadriceps"
                     *       ],
                     *       "equipment": [
                     *         "bodyweight"
                     *       ],
                     *       "exercises": [
                     *         {
                     *           "name": "Circuit",
                     *           "entries": [
                     *             {
                     *               "sets": [
                     *                 {
                     *                   "rpe": 8,
                     *                   "type": "NORMAL",
                     *                   "repRange": {
                     *                     "max": 15,
                     *                     "min": 8
                     *                   },
                     *                   "restSeconds": 20
                     *                 },
                     *                 {
                     *                   "rpe": 8,
                     *                   "type": "NORMAL",
                     *                   "repRange": {
                     *                     "max": 15,
                     *                     "min": 8
                     *                   },
                     *                   "restSeconds": 20
                     *                 }
                     *               ],
                     *               "exerciseId": "01900000-0000-7000-9000-000000000003"
                     *             },
                     *             {
                     *               "sets": [
                     *                 {
                     *                   "reps": 15,
                     *                   "type": "NORMAL",
                     *                   "restSeconds": 20
                     *                 },
                     *                 {
                     *                   "reps": 15,
                     *                   "type": "NORMAL",
                     *                   "restSeconds": 20
                     *                 }
                     *               ],
                     *               "exerciseId": "01900000-0000-7000-9000-000000000004"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "image": null,
                     *       "durationMinutes": 23,
                     *       "gymId": null,
                     *       "version": 1,
                     *       "createdAt": "2026-01-01T00:00:00.000Z",
                     *       "updatedAt": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkoutRoutine"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateWorkout: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Sled and Squat, 30 minutes",
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description The title that users see: at most 120 characters. */
                    title?: string | null;
                    /** @description What users should know about the routine: at most 5,000 characters. */
                    description?: string | null;
                    /**
                     * @description For whom the routine is suitable.
                     *     - `Beginner`: For people who begin to train.
                     *     - `Intermediate`: For people who have trained for some time.
                     *     - `Advanced`: For people who have trained for a long time.
                     */
                    difficulty?: ("Beginner" | "Intermediate" | "Advanced") | null;
                    /** @description What kind of workout it is, e.g. `Strength`, `Cardio`: at most 40 characters. */
                    category?: string | null;
                    /** @description The muscles that the routine trains: at most 20, each of at most 40 characters. They replace all muscles. */
                    targetMuscles?: string[] | null;
                    /** @description At most 50 blocks, as `WorkoutRoutine.exercises` describes them. They replace all blocks. */
                    exercises?: components["schemas"]["WorkoutBlock"][] | null;
                    /** @description How long the routine takes, in minutes: 1 to 1,440. Default with `exercises`: estimated from the sets. */
                    durationMinutes?: number | null;
                    /** @description The version that the change is based on; absent: the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed routine. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "title": "Sled and Squat, 30 minutes",
                     *       "description": null,
                     *       "difficulty": "Intermediate",
                     *       "category": "Strength",
                     *       "targetMuscles": [
                     *         "quadriceps",
                     *         "glutes"
                     *       ],
                     *       "equipment": [
                     *         "sled"
                     *       ],
                     *       "exercises": [
                     *         {
                     *           "name": "Main part",
                     *           "entries": [
                     *             {
                     *               "sets": [
                     *                 {
                     *                   "type": "NORMAL",
                     *                   "weightKg": 60,
                     *                   "restSeconds": 90,
                     *                   "distanceMeters": 20
                     *                 }
                     *               ],
                     *               "exerciseId": "01900000-0000-7000-9000-000000000006"
                     *             }
                     *           ],
                     *           "restSeconds": 120
                     *         }
                     *       ],
                     *       "image": null,
                     *       "durationMinutes": 30,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 2,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkoutRoutine"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWorkout: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The routine is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkoutVersions: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most the latest 200. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "version": 2,
                     *         "title": "Sled and Squat, 30 minutes",
                     *         "createdAt": "2026-06-15T10:00:00.000Z"
                     *       },
                     *       {
                     *         "version": 1,
                     *         "title": "Sled and Squat",
                     *         "createdAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WorkoutVersion"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkoutExercises: {
        parameters: {
            query?: {
                /** @description Return this version; absent: the current one. */
                version?: number;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exercises. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000003",
                     *         "name": "Push-Up",
                     *         "aliases": [
                     *           "press-up",
                     *           "pushup"
                     *         ],
                     *         "description": null,
                     *         "instructions": [
                     *           "Set your hands a little wider than your shoulders and stretch your legs behind you.",
                     *           "Brace your core so that head, hips and heels form one line."
                     *         ],
                     *         "primaryMuscles": [
                     *           "chest"
                     *         ],
                     *         "secondaryMuscles": [
                     *           "shoulders",
                     *           "triceps"
                     *         ],
                     *         "equipment": "bodyweight",
                     *         "level": "Beginner",
                     *         "force": "push",
                     *         "mechanic": "compound",
                     *         "category": "strength",
                     *         "modality": "WEIGHTED_BODYWEIGHT",
                     *         "image": null,
                     *         "gymId": null,
                     *         "version": 1
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000004",
                     *         "name": "Bodyweight Squat",
                     *         "aliases": [
                     *           "air squat"
                     *         ],
                     *         "description": null,
                     *         "instructions": [
                     *           "Stand with your feet at shoulder width and your toes slightly out.",
                     *           "Sit down and back until your thighs are level with the floor."
                     *         ],
                     *         "primaryMuscles": [
                     *           "quadriceps"
                     *         ],
                     *         "secondaryMuscles": [
                     *           "glutes",
                     *           "hamstrings"
                     *         ],
                     *         "equipment": "bodyweight",
                     *         "level": "Beginner",
                     *         "force": "push",
                     *         "mechanic": "compound",
                     *         "category": "strength",
                     *         "modality": "WEIGHTED_BODYWEIGHT",
                     *         "image": null,
                     *         "gymId": null,
                     *         "version": 1
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Exercise"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description Words of names, categories, muscles, levels and so on; the best match comes first. The beginning of a word is enough; joined and split words and small typing errors are corrected. A text without a letter or digit, such as `%`, finds nothing. */
                search?: string;
                /** @description Only what this gym has added, as far as you may see it. */
                gymId?: string;
                /** @description SUPPLEMENT or MERCHANDISE. */
                kind?: string;
                /** @description The lowest price, in minor units. */
                minPrice?: number;
                /** @description The highest price, in minor units. */
                maxPrice?: number;
                /** @description true: only products that are available. */
                inStock?: "true" | "false";
                /** @description Default: the best match first if there is a search, else by name; -price: the most expensive first. */
                sort?: "name" | "newest" | "price" | "-price";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of products. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8402-040200000002",
                     *         "sku": "CREA-500",
                     *         "name": "Creatine Monohydrate 500 g",
                     *         "description": "Micronised creatine monohydrate, unflavoured.",
                     *         "kind": "SUPPLEMENT",
                     *         "price": 1999,
                     *         "currency": "EUR",
                     *         "images": [],
                     *         "variants": [],
                     *         "stock": 60,
                     *         "featuredPriority": 80,
                     *         "featuredFrom": null,
                     *         "featuredUntil": null,
                     *         "gymId": null,
                     *         "version": 1,
                     *         "available": true,
                     *         "featured": true
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8402-040200000003",
                     *         "sku": "EAA-400",
                     *         "name": "Essential Amino Acids 400 g",
                     *         "description": "All nine essential amino acids.",
                     *         "kind": "SUPPLEMENT",
                     *         "price": 2499,
                     *         "currency": "EUR",
                     *         "images": [],
                     *         "variants": [],
                     *         "stock": 18,
                     *         "featuredPriority": null,
                     *         "featuredFrom": null,
                     *         "featuredUntil": null,
                     *         "gymId": null,
                     *         "version": 1,
                     *         "available": true,
                     *         "featured": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ProductOutput"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sku": "BAND-SET-3",
                 *       "name": "Resistance Bands, set of 3",
                 *       "kind": "MERCHANDISE",
                 *       "price": 1999,
                 *       "currency": "EUR",
                 *       "stock": 25,
                 *       "featuredPriority": 10
                 *     }
                 */
                "application/json": {
                    /** @description For a SUPER_ADMIN: the gym that sells it; absent: every gym sells it. The product of a GYM_ADMIN belongs to their gym, which they may name. */
                    gymId?: string | null;
                    /** @description Unique in its shop, in upper or lower case: at most 64 characters. */
                    sku: string;
                    /** @description The name that users see: at most 120 characters. */
                    name: string;
                    /** @description What users should know about the product: at most 5,000 characters. */
                    description?: string | null;
                    /**
                     * @description Whether the product is a supplement or merchandise.
                     *     - `SUPPLEMENT`: Something to eat or drink, e.g. protein powder.
                     *     - `MERCHANDISE`: Anything else, e.g. a shirt or a bottle.
                     * @enum {string}
                     */
                    kind: "SUPPLEMENT" | "MERCHANDISE";
                    /** @description In minor units of the currency: 0 to 100,000,000. */
                    price: number;
                    /** @description The currency of the prices, ISO 4217, e.g. `EUR`. */
                    currency: string;
                    /** @description The pictures: at most 20 http(s) URLs, or paths of uploaded pictures. */
                    images?: string[] | null;
                    /** @description The flavours or sizes of the product: at most 100. */
                    variants?: components["schemas"]["ProductVariant"][] | null;
                    /** @description Number of pieces: 0 to 10,000,000. Null: the stock is not counted. */
                    stock?: number | null;
                    /** @description The rank among promoted products, 0 to 1,000,000: the highest priority comes first. Null: not featured. */
                    featuredPriority?: number | null;
                    /** @description The beginning of the promotion; null: it begins at once. */
                    featuredFrom?: string | null;
                    /** @description The end of the promotion, after `featuredFrom`; null: it has no end. */
                    featuredUntil?: string | null;
                };
            };
        };
        responses: {
            /** @description The new product. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000010",
                     *       "sku": "BAND-SET-3",
                     *       "name": "Resistance Bands, set of 3",
                     *       "description": null,
                     *       "kind": "MERCHANDISE",
                     *       "price": 1999,
                     *       "currency": "EUR",
                     *       "images": [],
                     *       "variants": [],
                     *       "stock": 25,
                     *       "featuredPriority": 10,
                     *       "featuredFrom": null,
                     *       "featuredUntil": null,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 1,
                     *       "available": true,
                     *       "featured": true
                     *     }
                     */
                    "application/json": components["schemas"]["ProductOutput"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFeaturedProducts: {
        parameters: {
            query?: {
                /** @description Only what this gym has added, as far as you may see it. */
                gymId?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 100. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-8402-040200000001",
                     *         "sku": "WHEY-1KG",
                     *         "name": "Whey Protein 1 kg",
                     *         "description": "Whey protein concentrate, 78 g of protein in 100 g.",
                     *         "kind": "SUPPLEMENT",
                     *         "price": 2999,
                     *         "currency": "EUR",
                     *         "images": [],
                     *         "variants": [
                     *           {
                     *             "sku": "WHEY-1KG-CHO",
                     *             "name": "Chocolate",
                     *             "price": null,
                     *             "stock": 40
                     *           },
                     *           {
                     *             "sku": "WHEY-1KG-VAN",
                     *             "name": "Vanilla",
                     *             "price": null,
                     *             "stock": 25
                     *           }
                     *         ],
                     *         "stock": null,
                     *         "featuredPriority": 100,
                     *         "featuredFrom": null,
                     *         "featuredUntil": null,
                     *         "gymId": null,
                     *         "version": 1,
                     *         "available": true,
                     *         "featured": true
                     *       },
                     *       {
                     *         "id": "01900000-0000-7000-8402-040200000002",
                     *         "sku": "CREA-500",
                     *         "name": "Creatine Monohydrate 500 g",
                     *         "description": "Micronised creatine monohydrate, unflavoured.",
                     *         "kind": "SUPPLEMENT",
                     *         "price": 1999,
                     *         "currency": "EUR",
                     *         "images": [],
                     *         "variants": [],
                     *         "stock": 60,
                     *         "featuredPriority": 80,
                     *         "featuredFrom": null,
                     *         "featuredUntil": null,
                     *         "gymId": null,
                     *         "version": 1,
                     *         "available": true,
                     *         "featured": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ProductOutput"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-8402-040200000002",
                     *       "sku": "CREA-500",
                     *       "name": "Creatine Monohydrate 500 g",
                     *       "description": "Micronised creatine monohydrate, unflavoured.",
                     *       "kind": "SUPPLEMENT",
                     *       "price": 1999,
                     *       "currency": "EUR",
                     *       "images": [],
                     *       "variants": [],
                     *       "stock": 60,
                     *       "featuredPriority": 80,
                     *       "featuredFrom": null,
                     *       "featuredUntil": null,
                     *       "gymId": null,
                     *       "version": 1,
                     *       "available": true,
                     *       "featured": true
                     *     }
                     */
                    "application/json": components["schemas"]["ProductOutput"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "price": 1799,
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description Unique in its shop, in upper or lower case: at most 64 characters. */
                    sku?: string | null;
                    /** @description The name that users see: at most 120 characters. */
                    name?: string | null;
                    /** @description What users should know about the product: at most 5,000 characters. Null removes it. */
                    description?: string | null;
                    /**
                     * @description Whether the product is a supplement or merchandise.
                     *     - `SUPPLEMENT`: Something to eat or drink, e.g. protein powder.
                     *     - `MERCHANDISE`: Anything else, e.g. a shirt or a bottle.
                     */
                    kind?: ("SUPPLEMENT" | "MERCHANDISE") | null;
                    /** @description In minor units of the currency: 0 to 100,000,000. */
                    price?: number | null;
                    /** @description The currency of the prices, ISO 4217, e.g. `EUR`. */
                    currency?: string | null;
                    /** @description The pictures: at most 20 http(s) URLs, or paths of uploaded pictures. They replace all pictures. */
                    images?: string[] | null;
                    /** @description The flavours or sizes of the product: at most 100. They replace all variants. */
                    variants?: components["schemas"]["ProductVariant"][] | null;
                    /** @description Number of pieces: 0 to 10,000,000. Null: the stock is not counted. */
                    stock?: number | null;
                    /** @description The rank among promoted products, 0 to 1,000,000: the highest priority comes first. Null: not featured. */
                    featuredPriority?: number | null;
                    /** @description The beginning of the promotion; null: it has begun. */
                    featuredFrom?: string | null;
                    /** @description The end of the promotion, after `featuredFrom`; null: it has no end. */
                    featuredUntil?: string | null;
                    /** @description The version that the change is based on; absent: the last write wins. */
                    version?: number | null;
                };
            };
        };
        responses: {
            /** @description The changed product. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000010",
                     *       "sku": "BAND-SET-3",
                     *       "name": "Resistance Bands, set of 3",
                     *       "description": null,
                     *       "kind": "MERCHANDISE",
                     *       "price": 1799,
                     *       "currency": "EUR",
                     *       "images": [],
                     *       "variants": [],
                     *       "stock": 25,
                     *       "featuredPriority": 10,
                     *       "featuredFrom": null,
                     *       "featuredUntil": null,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 2,
                     *       "available": true,
                     *       "featured": true
                     *     }
                     */
                    "application/json": components["schemas"]["ProductOutput"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version on which this write is based; 412 if the version has changed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPicture: {
        parameters: {
            query?: {
                /** @description Longest side: small 320, medium 800, large (default) 1600 pixels; never larger than the upload. */
                size?: "small" | "medium" | "large";
            };
            header?: never;
            path: {
                /** @description The name of the file, from `image` or `images`. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. The picture behind a name never changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setWorkoutPicture: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "image": "picture.png"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description At most 10 MiB. */
                    image?: string;
                };
            };
        };
        responses: {
            /** @description The routine with its picture. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000008",
                     *       "title": "Sled and Squat, 30 minutes",
                     *       "description": null,
                     *       "difficulty": "Intermediate",
                     *       "category": "Strength",
                     *       "targetMuscles": [
                     *         "quadriceps",
                     *         "glutes"
                     *       ],
                     *       "equipment": [
                     *         "sled"
                     *       ],
                     *       "exercises": [
                     *         {
                     *           "name": "Main part",
                     *           "entries": [
                     *             {
                     *               "sets": [
                     *                 {
                     *                   "type": "NORMAL",
                     *                   "weightKg": 60,
                     *                   "restSeconds": 90,
                     *                   "distanceMeters": 20
                     *                 }
                     *               ],
                     *               "exerciseId": "01900000-0000-7000-9000-000000000006"
                     *             }
                     *           ],
                     *           "restSeconds": 120
                     *         }
                     *       ],
                     *       "image": "/media/01900000-0000-7000-9000-000000000009.webp",
                     *       "durationMinutes": 30,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 3,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkoutRoutine"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setExercisePicture: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "image": "picture.png"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description At most 10 MiB. */
                    image?: string;
                };
            };
        };
        responses: {
            /** @description The exercise with its picture. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000006",
                     *       "name": "Sled Push with Turn",
                     *       "aliases": [],
                     *       "description": "Push the sled 20 m, turn, and push it back.",
                     *       "instructions": [],
                     *       "primaryMuscles": [
                     *         "quadriceps"
                     *       ],
                     *       "secondaryMuscles": [
                     *         "glutes"
                     *       ],
                     *       "equipment": "sled",
                     *       "level": "Intermediate",
                     *       "force": null,
                     *       "mechanic": null,
                     *       "category": "strength",
                     *       "modality": "WEIGHT_DISTANCE",
                     *       "image": "/media/01900000-0000-7000-9000-000000000007.webp",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 3
                     *     }
                     */
                    "application/json": components["schemas"]["Exercise"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addProductPicture: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "image": "picture.png"
                 *     }
                 */
                "multipart/form-data": {
                    /** @description At most 10 MiB. */
                    image?: string;
                };
            };
        };
        responses: {
            /** @description The product with its pictures. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000010",
                     *       "sku": "BAND-SET-3",
                     *       "name": "Resistance Bands, set of 3",
                     *       "description": null,
                     *       "kind": "MERCHANDISE",
                     *       "price": 1799,
                     *       "currency": "EUR",
                     *       "images": [
                     *         "/media/01900000-0000-7000-9000-000000000011.webp"
                     *       ],
                     *       "variants": [],
                     *       "stock": 25,
                     *       "featuredPriority": 10,
                     *       "featuredFrom": null,
                     *       "featuredUntil": null,
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "version": 3,
                     *       "available": true,
                     *       "featured": true
                     *     }
                     */
                    "application/json": components["schemas"]["ProductOutput"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contentListEvents: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer; the answer then has the events after it. `latest`: no events, only `next`. Default: the oldest events that are kept. */
                after?: string;
                /** @description Only these types, separated by commas. Default: all that the caller may read. `check_in.opened` (scope visits:read), `check_in.closed` (scope visits:read), `check_in.undone` (scope visits:read), `check_in.denied` (scope visits:read), `occupancy.level_changed` (scope occupancy:read), `challenge.ended`, `gym_config.published`, `gym.deployed`, `member.joined` (scope members:read), `member.updated` (scope members:read), `member.removed` (scope members:read), `product.changed` (scope content:read). */
                types?: string;
                /** @description Events in the answer, at most 200. Default 50. */
                limit?: number;
                /** @description If there are no events, the answer is sent at the next event, or after this number of seconds; at most 20. Default 0. */
                wait?: number;
                /** @description For a SUPER_ADMIN: the gym; without it, the answer has the events of all gyms. Every other caller may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, and the cursor after them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [],
                     *       "next": "82dbc4681e280b749ca508bb9dc2cb8"
                     *     }
                     */
                    "application/json": components["schemas"]["content.EventPage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contentListAccountRecords: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [],
                     *       "kinds": [],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountRecords"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contentEraseAccountRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "DELETED",
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountVerdict"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contentListJobs: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description `true`: only jobs that have failed for good; `false`: only the others. */
                failed?: "true" | "false";
                /** @description Only jobs with this name. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "3",
                     *         "name": "remove_failed_jobs",
                     *         "attempts": 0,
                     *         "maxAttempts": 25,
                     *         "error": null,
                     *         "status": "PENDING",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "runAt": "2026-06-16T10:00:00.000Z",
                     *         "payload": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Job"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contentRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job begins as soon as a worker is free. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3",
                     *       "name": "remove_failed_jobs",
                     *       "attempts": 0,
                     *       "maxAttempts": 25,
                     *       "error": null,
                     *       "status": "PENDING",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "runAt": "2026-06-15T10:00:00.000Z",
                     *       "payload": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    contentRemoveReferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The entity's type in the graph, such as `Product`. */
                typeName: string;
                /** @description The id of the removed entity. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No row of this service refers to the entity. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOnlineUsers: {
        parameters: {
            query?: {
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The longest online first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "status": "AVAILABLE",
                     *         "activity": "Leg day",
                     *         "since": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["OnlineUser"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setMyPresence: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "AVAILABLE",
                 *       "activity": "Leg day"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Absent: the status that you chose last; `AVAILABLE` if you have never chosen one.
                     *     - `AVAILABLE`: Ready to train with others.
                     *     - `WORKING_OUT`: Online, and busy with a workout.
                     *     - `INVISIBLE`: Online, but not shown to other users.
                     *     - `OFFLINE`: Not online, also while the user is connected, until they choose another status. No user is shown with this status.
                     */
                    status?: ("AVAILABLE" | "WORKING_OUT" | "INVISIBLE" | "OFFLINE") | null;
                    /** @description What you are doing, in your own words; at most 140 characters. Absent: unchanged; null: removed. */
                    activity?: string | null;
                };
            };
        };
        responses: {
            /** @description The presence as the caller sees it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "online": true,
                     *       "status": "AVAILABLE",
                     *       "activity": "Leg day",
                     *       "since": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** @description Whether the user is online. */
                        online: boolean;
                        /**
                         * @description The status that the user has chosen; null while they are offline.
                         *     - `AVAILABLE`: Ready to train with others.
                         *     - `WORKING_OUT`: Online, and busy with a workout.
                         *     - `INVISIBLE`: Online, but not shown to other users.
                         */
                        status: ("AVAILABLE" | "WORKING_OUT" | "INVISIBLE") | null;
                        /** @description What the user is doing, in their own words; null if they have not stated it, or while they are offline. */
                        activity: string | null;
                        /** @description The time since which other users can see the user; null while the user is offline. */
                        since: string | null;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listClubs: {
        parameters: {
            query?: {
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clubs, sorted by name. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000001",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "name": "Early birds",
                     *         "createdBy": "01900000-0000-7000-8000-000000000103",
                     *         "memberIds": [
                     *           "01900000-0000-7000-8000-000000000103",
                     *           "01900000-0000-7000-8000-000000000104"
                     *         ],
                     *         "memberCount": 2,
                     *         "joined": true,
                     *         "createdAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Group"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createClub: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Early birds"
                 *     }
                 */
                "application/json": {
                    /** @description The name that users see: at most 80 characters. `CONFLICT` if you can see a club of the same name in the gym. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The club; the caller is its first member. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Early birds",
                     *       "createdBy": "01900000-0000-7000-8000-000000000103",
                     *       "memberIds": [
                     *         "01900000-0000-7000-8000-000000000103"
                     *       ],
                     *       "memberCount": 1,
                     *       "joined": true,
                     *       "createdAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    joinClub: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The club after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Early birds",
                     *       "createdBy": "01900000-0000-7000-8000-000000000103",
                     *       "memberIds": [
                     *         "01900000-0000-7000-8000-000000000103",
                     *         "01900000-0000-7000-8000-000000000104"
                     *       ],
                     *       "memberCount": 2,
                     *       "joined": true,
                     *       "createdAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    leaveClub: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The club after the change; if it was deleted, without members. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000001",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "name": "Early birds",
                     *       "createdBy": "01900000-0000-7000-8000-000000000103",
                     *       "memberIds": [
                     *         "01900000-0000-7000-8000-000000000103"
                     *       ],
                     *       "memberCount": 1,
                     *       "joined": false,
                     *       "createdAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInvites: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description received: invites to the caller; sent: invites from them. */
                box?: "received" | "sent";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000003",
                     *         "squadId": "01900000-0000-7000-9000-000000000002",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "fromUserId": "01900000-0000-7000-8000-000000000103",
                     *         "toUserId": "01900000-0000-7000-8000-000000000104",
                     *         "message": "Legs at six?",
                     *         "status": "PENDING",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "expiresAt": "2026-06-15T10:10:00.000Z",
                     *         "respondedAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SquadInvite"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "toUserId": "01900000-0000-7000-8000-000000000104",
                 *       "squadId": "01900000-0000-7000-9000-000000000002",
                 *       "message": "Legs at six?"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The id of a member of your gym.
                     */
                    toUserId: string;
                    /** @description The id of a squad that you take part in; absent: a squad of yours in LOBBY. */
                    squadId?: string | null;
                    /** @description Words for the receiver: at most 280 characters. */
                    message?: string | null;
                };
            };
        };
        responses: {
            /** @description The invite, open for ten minutes. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000003",
                     *       "squadId": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "fromUserId": "01900000-0000-7000-8000-000000000103",
                     *       "toUserId": "01900000-0000-7000-8000-000000000104",
                     *       "message": "Legs at six?",
                     *       "status": "PENDING",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "expiresAt": "2026-06-15T10:10:00.000Z",
                     *       "respondedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadInvite"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    respondToInvite: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accept": true
                 *     }
                 */
                "application/json": {
                    /** @description True accepts the invite, false declines it. */
                    accept: boolean;
                };
            };
        };
        responses: {
            /** @description The invite with its new status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000003",
                     *       "squadId": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "fromUserId": "01900000-0000-7000-8000-000000000103",
                     *       "toUserId": "01900000-0000-7000-8000-000000000104",
                     *       "message": "Legs at six?",
                     *       "status": "ACCEPTED",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "expiresAt": "2026-06-15T10:10:00.000Z",
                     *       "respondedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SquadInvite"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invite is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMySquads: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000002",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "hostId": "01900000-0000-7000-8000-000000000103",
                     *         "routineId": "01900000-0000-7000-8401-040100000007",
                     *         "routineVersion": 1,
                     *         "status": "PAUSED",
                     *         "revision": 7,
                     *         "participants": [
                     *           {
                     *             "userId": "01900000-0000-7000-8000-000000000103",
                     *             "joinedAt": "2026-06-15T10:00:00.000Z",
                     *             "leftAt": null,
                     *             "exerciseIndex": 0,
                     *             "setIndex": 0,
                     *             "phase": "REST",
                     *             "restEndsAt": null,
                     *             "lastSet": {
                     *               "reps": 10,
                     *               "weightKg": 40,
                     *               "rpe": 7
                     *             },
                     *             "setsDone": 1
                     *           },
                     *           {
                     *             "userId": "01900000-0000-7000-8000-000000000104",
                     *             "joinedAt": "2026-06-15T10:00:00.000Z",
                     *             "leftAt": null,
                     *             "exerciseIndex": 0,
                     *             "setIndex": 0,
                     *             "phase": "WORK",
                     *             "restEndsAt": null,
                     *             "lastSet": null,
                     *             "setsDone": 0
                     *           }
                     *         ],
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "startedAt": "2026-06-15T10:00:00.000Z",
                     *         "pausedAt": "2026-06-15T10:00:00.000Z",
                     *         "endedAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SquadSession"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "routineId": "01900000-0000-7000-8401-040100000007"
                 *     }
                 */
                "application/json": {
                    /** @description The id of the routine to train; absent: a workout without a routine. */
                    routineId?: string | null;
                };
            };
        };
        responses: {
            /** @description The session, in LOBBY. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "LOBBY",
                     *       "revision": 1,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": null,
                     *       "pausedAt": null,
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSquad: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "PAUSED",
                     *       "revision": 7,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "REST",
                     *           "restEndsAt": null,
                     *           "lastSet": {
                     *             "reps": 10,
                     *             "weightKg": 40,
                     *             "rpe": 7
                     *           },
                     *           "setsDone": 1
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "pausedAt": "2026-06-15T10:00:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSquadEvents: {
        parameters: {
            query?: {
                /** @description The last revision that the client has. */
                fromRevision?: number;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session, and the events in order; `complete: false` if the oldest are no longer kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session": {
                     *         "id": "01900000-0000-7000-9000-000000000002",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "hostId": "01900000-0000-7000-8000-000000000103",
                     *         "routineId": "01900000-0000-7000-8401-040100000007",
                     *         "routineVersion": 1,
                     *         "status": "ACTIVE",
                     *         "revision": 4,
                     *         "participants": [
                     *           {
                     *             "userId": "01900000-0000-7000-8000-000000000103",
                     *             "joinedAt": "2026-06-15T10:00:00.000Z",
                     *             "leftAt": null,
                     *             "exerciseIndex": 0,
                     *             "setIndex": 0,
                     *             "phase": "REST",
                     *             "restEndsAt": null,
                     *             "lastSet": {
                     *               "reps": 10,
                     *               "weightKg": 40,
                     *               "rpe": 7
                     *             },
                     *             "setsDone": 1
                     *           },
                     *           {
                     *             "userId": "01900000-0000-7000-8000-000000000104",
                     *             "joinedAt": "2026-06-15T10:00:00.000Z",
                     *             "leftAt": null,
                     *             "exerciseIndex": 0,
                     *             "setIndex": 0,
                     *             "phase": "WORK",
                     *             "restEndsAt": null,
                     *             "lastSet": null,
                     *             "setsDone": 0
                     *           }
                     *         ],
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "startedAt": "2026-06-15T10:00:00.000Z",
                     *         "pausedAt": null,
                     *         "endedAt": null
                     *       },
                     *       "missed": [
                     *         {
                     *           "event": "squad_joined",
                     *           "squadId": "01900000-0000-7000-9000-000000000002",
                     *           "revision": 2,
                     *           "at": "2026-06-15T10:00:00.000Z",
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "hostId": "01900000-0000-7000-8000-000000000103",
                     *           "status": "LOBBY",
                     *           "participant": {
                     *             "userId": "01900000-0000-7000-8000-000000000104",
                     *             "joinedAt": "2026-06-15T10:00:00.000Z",
                     *             "leftAt": null,
                     *             "exerciseIndex": 0,
                     *             "setIndex": 0,
                     *             "phase": "WORK",
                     *             "restEndsAt": null,
                     *             "lastSet": null,
                     *             "setsDone": 0
                     *           }
                     *         },
                     *         {
                     *           "event": "squad_updated",
                     *           "squadId": "01900000-0000-7000-9000-000000000002",
                     *           "revision": 3,
                     *           "at": "2026-06-15T10:00:00.000Z",
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "hostId": "01900000-0000-7000-8000-000000000103",
                     *           "status": "ACTIVE",
                     *           "participant": null
                     *         }
                     *       ],
                     *       "complete": true
                     *     }
                     */
                    "application/json": {
                        /** @description The squad as it is now. */
                        session: components["schemas"]["SquadSession"];
                        /** @description The events after that revision, in order. */
                        missed: components["schemas"]["SquadEvent"][];
                        /** @description False if older events are no longer stored, so that the client has to use the state in `session`. */
                        complete: boolean;
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    joinSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "LOBBY",
                     *       "revision": 2,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": null,
                     *       "pausedAt": null,
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    leaveSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "PAUSED",
                     *       "revision": 8,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "REST",
                     *           "restEndsAt": null,
                     *           "lastSet": {
                     *             "reps": 10,
                     *             "weightKg": 40,
                     *             "rpe": 7
                     *           },
                     *           "setsDone": 1
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": "2026-06-15T10:00:00.000Z",
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "pausedAt": "2026-06-15T10:00:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "ACTIVE",
                     *       "revision": 3,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "pausedAt": null,
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "PAUSED",
                     *       "revision": 5,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "REST",
                     *           "restEndsAt": null,
                     *           "lastSet": {
                     *             "reps": 10,
                     *             "weightKg": 40,
                     *             "rpe": 7
                     *           },
                     *           "setsDone": 1
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "pausedAt": "2026-06-15T10:00:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "ENDED",
                     *       "revision": 11,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "REST",
                     *           "restEndsAt": null,
                     *           "lastSet": {
                     *             "reps": 10,
                     *             "weightKg": 40,
                     *             "rpe": 7
                     *           },
                     *           "setsDone": 1
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": "2026-06-15T10:00:00.000Z",
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "pausedAt": null,
                     *       "endedAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    kickFromSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "01900000-0000-7000-8000-000000000104"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The user's id.
                     */
                    userId: string;
                };
            };
        };
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000103",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "PAUSED",
                     *       "revision": 10,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "REST",
                     *           "restEndsAt": null,
                     *           "lastSet": {
                     *             "reps": 10,
                     *             "weightKg": 40,
                     *             "rpe": 7
                     *           },
                     *           "setsDone": 1
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": "2026-06-15T10:00:00.000Z",
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "pausedAt": "2026-06-15T10:00:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    makeSquadHost: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "01900000-0000-7000-8000-000000000104"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The user's id.
                     */
                    userId: string;
                };
            };
        };
        responses: {
            /** @description The present state of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000002",
                     *       "gymId": "01900000-0000-7000-8000-000000000001",
                     *       "hostId": "01900000-0000-7000-8000-000000000104",
                     *       "routineId": "01900000-0000-7000-8401-040100000007",
                     *       "routineVersion": 1,
                     *       "status": "PAUSED",
                     *       "revision": 6,
                     *       "participants": [
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000103",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "REST",
                     *           "restEndsAt": null,
                     *           "lastSet": {
                     *             "reps": 10,
                     *             "weightKg": 40,
                     *             "rpe": 7
                     *           },
                     *           "setsDone": 1
                     *         },
                     *         {
                     *           "userId": "01900000-0000-7000-8000-000000000104",
                     *           "joinedAt": "2026-06-15T10:00:00.000Z",
                     *           "leftAt": null,
                     *           "exerciseIndex": 0,
                     *           "setIndex": 0,
                     *           "phase": "WORK",
                     *           "restEndsAt": null,
                     *           "lastSet": null,
                     *           "setsDone": 0
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "startedAt": "2026-06-15T10:00:00.000Z",
                     *       "pausedAt": "2026-06-15T10:00:00.000Z",
                     *       "endedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["SquadSession"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateWorkoutProgress: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "eventId": "set-1",
                 *       "exerciseIndex": 0,
                 *       "setIndex": 0,
                 *       "phase": "REST",
                 *       "set": {
                 *         "reps": 10,
                 *         "weightKg": 40,
                 *         "rpe": 7
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description An id that you choose, by which a repeated update is recognised: at most 100 characters. */
                    eventId: string;
                    /** @description The number of the exercise, from 0; at most 500. In a routine, the entries of all blocks are counted in their order. */
                    exerciseIndex: number;
                    /** @description The number of the set in the exercise, from 0; at most 500. */
                    setIndex: number;
                    /** @description Required if the squad has no routine. If it has one, the exercise of the routine at `exerciseIndex`, or absent. */
                    exerciseId?: string | null;
                    /**
                     * @description What you do at this position.
                     *     - `WORK`: They do the set.
                     *     - `REST`: They rest after the set.
                     *     - `DONE`: They have finished the set and its rest; after the last set, the workout.
                     * @enum {string}
                     */
                    phase: "WORK" | "REST" | "DONE";
                    /** @description The set that you have done. The modality of the exercise decides which of its fields are allowed. */
                    set?: {
                        /** @description The number of repetitions: at most 10,000. */
                        reps?: number | null;
                        /** @description The weight in kilograms: at most 2,000. */
                        weightKg?: number | null;
                        /** @description The duration in seconds: at most 86,400. */
                        durationSeconds?: number | null;
                        /** @description The distance in metres: at most 1,000,000. */
                        distanceMeters?: number | null;
                        /** @description Rating of perceived exertion, 0 to 10. */
                        rpe?: number | null;
                    } | null;
                    /** @description The time at which you want to continue: at most an hour from now. */
                    restEndsAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The revision that the update made, and the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revision": 4,
                     *       "session": {
                     *         "id": "01900000-0000-7000-9000-000000000002",
                     *         "gymId": "01900000-0000-7000-8000-000000000001",
                     *         "hostId": "01900000-0000-7000-8000-000000000103",
                     *         "routineId": "01900000-0000-7000-8401-040100000007",
                     *         "routineVersion": 1,
                     *         "status": "ACTIVE",
                     *         "revision": 4,
                     *         "participants": [
                     *           {
                     *             "userId": "01900000-0000-7000-8000-000000000103",
                     *             "joinedAt": "2026-06-15T10:00:00.000Z",
                     *             "leftAt": null,
                     *             "exerciseIndex": 0,
                     *             "setIndex": 0,
                     *             "phase": "REST",
                     *             "restEndsAt": null,
                     *             "lastSet": {
                     *               "reps": 10,
                     *               "weightKg": 40,
                     *               "rpe": 7
                     *             },
                     *             "setsDone": 1
                     *           },
                     *           {
                     *             "userId": "01900000-0000-7000-8000-000000000104",
                     *             "joinedAt": "2026-06-15T10:00:00.000Z",
                     *             "leftAt": null,
                     *             "exerciseIndex": 0,
                     *             "setIndex": 0,
                     *             "phase": "WORK",
                     *             "restEndsAt": null,
                     *             "lastSet": null,
                     *             "setsDone": 0
                     *           }
                     *         ],
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "startedAt": "2026-06-15T10:00:00.000Z",
                     *         "pausedAt": null,
                     *         "endedAt": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description The revision that the update has made, also if it was sent before. */
                        revision: number;
                        /** @description The squad as it is now. */
                        session: components["schemas"]["SquadSession"];
                    };
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01900000-0000-7000-9000-000000000004",
                     *         "squadId": "01900000-0000-7000-9000-000000000002",
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "text": "Two more sets!",
                     *         "deleted": false,
                     *         "clientId": "message-1",
                     *         "seq": 1,
                     *         "sentAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SquadMessage"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Two more sets!",
                 *       "clientId": "message-1"
                 *     }
                 */
                "application/json": {
                    /** @description The text of the message: at most 2,000 characters. */
                    text: string;
                    /** @description An id that you choose, by which a repeated message is recognised: at most 100 characters. */
                    clientId?: string | null;
                };
            };
        };
        responses: {
            /** @description The message, which is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01900000-0000-7000-9000-000000000004",
                     *       "squadId": "01900000-0000-7000-9000-000000000002",
                     *       "userId": "01900000-0000-7000-8000-000000000103",
                     *       "text": "Two more sets!",
                     *       "deleted": false,
                     *       "clientId": "message-1",
                     *       "seq": 1,
                     *       "sentAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SquadMessage"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the object that the path names. */
                id: string;
                /** @description The message's id. */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reportMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the object that the path names. */
                id: string;
                /** @description The message's id. */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Too loud."
                 *     }
                 */
                "application/json": {
                    /** @description Why the message is reported: at most 500 characters. */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description The report. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "squadId": "01900000-0000-7000-9000-000000000002",
                     *       "messageId": "01900000-0000-7000-9000-000000000004",
                     *       "reporterId": "01900000-0000-7000-8000-000000000104",
                     *       "authorId": "01900000-0000-7000-8000-000000000103",
                     *       "text": "Two more sets!",
                     *       "reason": "Too loud.",
                     *       "createdAt": "2026-06-15T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SquadMessageReport"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMessageReports: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reports. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "squadId": "01900000-0000-7000-9000-000000000002",
                     *         "messageId": "01900000-0000-7000-9000-000000000004",
                     *         "reporterId": "01900000-0000-7000-8000-000000000104",
                     *         "authorId": "01900000-0000-7000-8000-000000000103",
                     *         "text": "Two more sets!",
                     *         "reason": "Too loud.",
                     *         "createdAt": "2026-06-15T10:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SquadMessageReport"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBlockedUsers: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200. Default: the whole list. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ids of users. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       "01900000-0000-7000-8000-000000000104"
                     *     ]
                     */
                    "application/json": string[];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    blockUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is blocked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unblockUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is not blocked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSquadHistory: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The caller's own user id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "squadId": "01900000-0000-7000-9000-000000000002",
                     *         "routineId": "01900000-0000-7000-8401-040100000007",
                     *         "routineVersion": 1,
                     *         "startedAt": "2026-06-15T10:00:00.000Z",
                     *         "endedAt": "2026-06-15T10:00:00.000Z",
                     *         "minutes": 0,
                     *         "sets": 1,
                     *         "trainingId": null,
                     *         "participantIds": [
                     *           "01900000-0000-7000-8000-000000000103",
                     *           "01900000-0000-7000-8000-000000000104"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SquadWorkout"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFeed: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description The gym, for a SUPER_ADMIN. Every other user may name only their own gym. */
                gymId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "title": null,
                     *         "image": null,
                     *         "participantIds": [
                     *           "01900000-0000-7000-8000-000000000103",
                     *           "01900000-0000-7000-8000-000000000104"
                     *         ],
                     *         "groupId": null,
                     *         "id": "01900000-0000-7000-9000-000000000002",
                     *         "kind": "SQUAD_FINISHED",
                     *         "at": "2026-06-15T10:00:00.000Z",
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "text": "2 trained together for 0 min, 1 sets."
                     *       },
                     *       {
                     *         "title": null,
                     *         "image": null,
                     *         "participantIds": [],
                     *         "groupId": "01900000-0000-7000-9000-000000000001",
                     *         "id": "01900000-0000-7000-9000-000000000001",
                     *         "kind": "GROUP_CREATED",
                     *         "at": "2026-06-15T10:00:00.000Z",
                     *         "userId": "01900000-0000-7000-8000-000000000103",
                     *         "text": "New group: Early birds"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["FeedItem"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    squadListAccountRecords: {
        parameters: {
            query?: {
                /** @description `next` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [],
                     *       "kinds": [
                     *         "presence",
                     *         "squads"
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountRecords"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    squadEraseAccountRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "DELETED",
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["AccountVerdict"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endMembershipAtSquad: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "01900000-0000-7000-8999-099900000002",
                 *       "gymId": "01900000-0000-7000-8000-000000000001",
                 *       "before": null
                 *     }
                 */
                "application/json": components["schemas"]["MembershipEnd"];
            };
        };
        responses: {
            /** @description It has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    squadListJobs: {
        parameters: {
            query?: {
                /** @description Items a page, at most 200; a larger number is treated as 200. */
                limit?: number;
                /** @description The start of the page: the cursor in the Link header of the previous page. */
                cursor?: string;
                /** @description `true`: only jobs that have failed for good; `false`: only the others. */
                failed?: "true" | "false";
                /** @description Only jobs with this name. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    /** @description Next page: `<...>; rel="next"` (RFC 8288) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "3",
                     *         "name": "remove_failed_jobs",
                     *         "attempts": 0,
                     *         "maxAttempts": 25,
                     *         "error": null,
                     *         "status": "PENDING",
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "runAt": "2026-06-16T10:00:00.000Z",
                     *         "payload": {}
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Job"][];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    squadRetryJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key within 24 hours gets the same answer, and nothing is written a second time. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job begins as soon as a worker is free. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3",
                     *       "name": "remove_failed_jobs",
                     *       "attempts": 0,
                     *       "maxAttempts": 25,
                     *       "error": null,
                     *       "status": "PENDING",
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "runAt": "2026-06-15T10:00:00.000Z",
                     *       "payload": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description A problem. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    onMemberJoined: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "member.joined";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["Member"] | {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMemberUpdated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "member.updated";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["Member"] | {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMemberRemoved: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "member.removed";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCheckInOpened: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "check_in.opened";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["CheckIn"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCheckInClosed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "check_in.closed";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["CheckIn"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCheckInUndone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "check_in.undone";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["CheckIn"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCheckInDenied: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "check_in.denied";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["CheckInDenial"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOccupancyLevelChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "occupancy.level_changed";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["OccupancyOfLocation"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChallengeEnded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "challenge.ended";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["ChallengeOfGym"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGymConfigPublished: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "gym_config.published";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["GymConfig"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onGymDeployed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "gym.deployed";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["Gym"];
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProductChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "product.changed";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["GymProduct"] | {
                        /**
                         * Format: uuid
                         * @description The id of the gym that sells the product.
                         */
                        gymId: string;
                        /**
                         * Format: uuid
                         * @description A product of the content service.
                         */
                        productId: string;
                    };
                } | {
                    /**
                     * Format: uuid
                     * @description The same in every feed and every delivery of the event.
                     */
                    id: string;
                    /** @constant */
                    type: "product.changed";
                    /** @description Null for something that belongs to all gyms. */
                    gymId: string | null;
                    /** @description What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened. */
                    subject: string;
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    occurredAt: string;
                    data: components["schemas"]["Product"] | {
                        /** Format: uuid */
                        id: string;
                        gymId: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description The event was received. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
