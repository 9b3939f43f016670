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
         * @description The role of a new account is MEMBER, whatever the body says. Emails are unique without regard to case.
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
         * @description For GYM_ADMIN: of their gym; SUPER_ADMIN: all; machine clients with `members:read`.
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
         * @description The user themselves and the admins of their gym see all of it, a machine client all but the QR code, other users of the gym see the public fields, and everybody else gets 404.
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
         * @description The answer is the same if the email is unknown, if the password is wrong, and if the account is locked for 15 minutes after ten failures.
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
         * @description A GYM_ADMIN invites members into their gym.
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
         * @description `:id` is the id of the invited user. The mail has a new token; the tokens of earlier mails work until they expire. One user gets at most five mails per hour.
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
         * @description `:id` is the id of the invited user.
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
         * @description For everybody.
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
    "/gym/gyms/{gymId}": {
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
         * @description Members present their own code, staff and machine clients any code of their gym; they also get the name and picture of the member. A second scan during an open visit answers 200 with the same visit and `duplicate: true`.
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
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
            code: "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "VALIDATION_FAILED" | "REQUEST_TIMEOUT" | "CONFLICT" | "VERSION_CONFLICT" | "IDEMPOTENCY_KEY_REUSED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "FEATURE_DISABLED" | "OPERATION_LIMIT_EXCEEDED" | "OPERATION_NOT_REGISTERED" | "UNAUTHORIZED_FIELD_OR_TYPE" | "SERVER_BUSY" | "UPSTREAM_UNAVAILABLE" | "UPSTREAM_TIMEOUT" | "INSUFFICIENT_STORAGE" | "CURSOR_EXPIRED" | "INTERNAL" | "SUBSCRIPTION_SCHEMA_RELOAD" | "SUBSCRIPTION_SLOW_CONSUMER" | "GYM_REQUIRED" | "LOCATION_FULL" | "QR_UNKNOWN" | "WRONG_GYM" | "AI_NOT_CONFIGURED" | "AI_UNAVAILABLE" | "AI_TIMEOUT" | "AI_UNUSABLE_ANSWER" | "WIZARD_INCOMPLETE" | "WIZARD_VERSION_UNSUPPORTED" | "SQUAD_ENDED" | "SQUAD_PAUSED" | "SQUAD_LIMIT" | "SQUAD_FULL" | "INVITE_CLOSED" | "UNKNOWN_EVENT";
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
        UserImportLine: {
            /** @description The line of the file; the first one is 1. */
            line: number;
            /**
             * @description PENDING: not written yet. CREATED: a new account. EXISTING: an account with this email existed already, and was not changed. FAILED: see `errors`.
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
        User: {
            /** Format: uuid */
            id: string;
            email?: string;
            displayName: string;
            bio: string | null;
            /** @enum {string} */
            role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
            gymId: string | null;
            qrCode?: string;
            avatar: string | null;
            locale: string;
            timezone: string;
            /** @enum {string} */
            units: "METRIC" | "IMPERIAL";
            body?: {
                heightCm: number | null;
                weightKg: number | null;
                sex: ("FEMALE" | "MALE" | "OTHER") | null;
                birthDate: string | null;
            } | null;
            trainingGoals?: {
                goals: string[];
                activity: string | null;
            } | null;
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        AuthPayload: {
            token: string;
            /** @constant */
            tokenType: "Bearer";
            expiresIn: number;
            refreshToken: string;
            user: components["schemas"]["User"];
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string;
            /** Format: date-time */
            expiresAt: string;
            userAgent: string;
            address: string;
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
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userId: string;
            email: string;
            displayName: string;
            /** @enum {string} */
            role: "MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN";
            gymId: string | null;
            /** Format: date-time */
            createdAt: string;
            sentAt: string | null;
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
        AccountExport: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            requestedAt: string;
            finishedAt: string | null;
            /** Format: date-time */
            expiresAt: string;
            parts: {
                service: string;
                /** @enum {string} */
                status: "PENDING" | "DONE";
            }[];
            document: string | null;
        };
        AccountDeletion: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            requestedAt: string;
            finishedAt: string | null;
            parts: components["schemas"]["AccountPart"][];
        };
        AccountPart: {
            service: string;
            /** @enum {string} */
            outcome: "PENDING" | "DELETED" | "ANONYMISED" | "RETAINED";
            reason: string | null;
        };
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            action: "LOGGED_IN" | "LOGIN_FAILED" | "LOGIN_LOCKED" | "PASSWORD_CHANGED" | "ROLE_CHANGED" | "GYM_CHANGED" | "PASSWORD_RESET" | "REFRESH_TOKEN_REUSED" | "USER_INVITED" | "INVITATION_SENT_AGAIN" | "INVITATION_WITHDRAWN" | "USERS_IMPORTED" | "ACCOUNT_DELETED" | "SIGNING_KEY_ROTATED" | "API_CLIENT_CREATED" | "API_CLIENT_SECRET_ROTATED" | "API_CLIENT_DELETED";
            actor: string;
            subjectId: string | null;
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
        ApiClient: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            gymId: string;
            name: string;
            scopes: ("check-in" | "visits:read" | "occupancy:read" | "members:read" | "members:write" | "content:read" | "webhooks" | "events:read")[];
            locationId: string | null;
            /** Format: date-time */
            createdAt: string;
            lastUsedAt: string | null;
            expiresAt: string | null;
        };
        ApiClientWithSecret: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            gymId: string;
            name: string;
            scopes: ("check-in" | "visits:read" | "occupancy:read" | "members:read" | "members:write" | "content:read" | "webhooks" | "events:read")[];
            locationId: string | null;
            /** Format: date-time */
            createdAt: string;
            lastUsedAt: string | null;
            expiresAt: string | null;
            secret: string;
        };
        EventPage: {
            /** @description The events, the oldest first. */
            events: components["schemas"]["Event"][];
            /** @description `after` of the next request; also if there are no events. */
            next: string;
        };
        Event: {
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
        Job: {
            /** @description Unique in its service. */
            id: string;
            /** @description What the job does, e.g. `mail_password_token`. */
            name: string;
            /**
             * @description `PENDING`: it waits for its time or its next attempt. `RUNNING`. `FAILED`: its last attempt failed, and it does not run again by itself.
             * @enum {string}
             */
            status: "PENDING" | "RUNNING" | "FAILED";
            /** @description The attempts so far, with the one that is running. */
            attempts: number;
            maxAttempts: number;
            /** Format: date-time */
            createdAt: string;
            /** @description The time of the next attempt, or of the running one before it began; null after the last one. */
            runAt: string | null;
            /** @description Why the last attempt failed; null if none has, or if its process was killed. */
            error: string | null;
            /** @description The part of what the job was given that an operator may see. Secrets and personal data are not in it. */
            payload: {
                [key: string]: unknown;
            };
        };
        Gym: {
            id: string;
            slug: string;
            name: string;
            config: components["schemas"]["GymConfig"];
        };
        GymConfig: {
            gymId: string;
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
            features: {
                [key: string]: boolean;
            };
            version: number;
            /** Format: date-time */
            updatedAt: string;
        };
        GymConfigDraft: {
            gymId: string;
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
            features: {
                [key: string]: boolean;
            };
            basedOnVersion: number;
            version: number;
            /** Format: date-time */
            updatedAt: string;
        };
        LocationWithOccupancy: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            gymId: string;
            name: string;
            address: string | null;
            timezone: string;
            capacity: number;
            maxStayMinutes: number;
            openingHours: {
                [key: string]: {
                    /** @description Local time, HH:MM. */
                    opens: string;
                    /** @description Local time, HH:MM; `24:00` is midnight. */
                    closes: string;
                };
            } | null;
            version: number;
            occupancy: components["schemas"]["Occupancy"];
        };
        Occupancy: {
            people: number;
            capacity: number;
            percent: number;
            /** @enum {string} */
            level: "OK" | "BUSY" | "FULL";
            /** Format: date-time */
            updatedAt: string;
        };
        OccupancySample: {
            /** Format: date-time */
            from: string;
            peak: number;
            checkIns: number;
        };
        CheckedIn: {
            /** Format: uuid */
            id: string;
            userId: string | null;
            /** Format: uuid */
            gymId: string;
            /** Format: uuid */
            locationId: string;
            /** Format: date-time */
            checkedInAt: string;
            checkedOutAt: string | null;
            source: string | null;
            /** @enum {string} */
            method: "QR" | "OVERRIDE";
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
        };
        CheckIn: {
            /** Format: uuid */
            id: string;
            userId: string | null;
            /** Format: uuid */
            gymId: string;
            /** Format: uuid */
            locationId: string;
            /** Format: date-time */
            checkedInAt: string;
            checkedOutAt: string | null;
            source: string | null;
            /** @enum {string} */
            method: "QR" | "OVERRIDE";
            duplicate: boolean;
        };
        CheckInDenial: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            locationId: string;
            userId: string | null;
            reason: string;
            presentedBy: string | null;
            /** Format: date-time */
            deniedAt: string;
            count: number;
        };
        Challenge: {
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
            joined: boolean;
            score: number | null;
        };
        LeaderboardEntry: {
            rank: number;
            /** Format: uuid */
            userId: string;
            score: number;
            /** Format: date-time */
            reachedAt: string;
        };
        Announcement: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            gymId: string;
            /** @description The user who published it; null once the account is deleted. */
            authorId: string | null;
            title: string;
            text: string;
            version: number;
            /** Format: date-time */
            startsAt: string;
            endsAt: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        Post: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            gymId: string;
            /** @description Null once the account is deleted; `text` is empty then. */
            authorId: string | null;
            text: string;
            image: string | null;
            likeCount: number;
            commentCount: number;
            likedByMe: boolean;
            version: number;
            /** Format: date-time */
            createdAt: string;
        };
        PostReport: {
            /** Format: uuid */
            postId: string;
            /**
             * Format: uuid
             * @description The user who reported the post.
             */
            reporterId: string;
            reason: string;
            /** Format: date-time */
            createdAt: string;
        };
        Comment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            postId: string;
            /**
             * Format: uuid
             * @description The user who wrote the comment.
             */
            authorId: string;
            text: string;
            /** Format: date-time */
            createdAt: string;
        };
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
            price: number | null;
            currency: string | null;
            stock: number | null;
        };
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
            note: string | null;
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            /** @description Null: the events of all gyms. */
            gymId: string | null;
            url: string;
            /** @description The types of events that are sent. */
            types: string[];
            description: string | null;
            /** @description Whether events are sent. */
            active: boolean;
            /** @description Why the platform has switched the webhook off; null if it has not. */
            disabledReason: string | null;
            /** Format: date-time */
            createdAt: string;
            version: number;
        };
        WebhookWithSecret: {
            /** Format: uuid */
            id: string;
            /** @description Null: the events of all gyms. */
            gymId: string | null;
            url: string;
            /** @description The types of events that are sent. */
            types: string[];
            description: string | null;
            /** @description Whether events are sent. */
            active: boolean;
            /** @description Why the platform has switched the webhook off; null if it has not. */
            disabledReason: string | null;
            /** Format: date-time */
            createdAt: string;
            version: number;
            /** @description It signs the deliveries, `whsec_...`. It is in this answer only. */
            secret: string;
        };
        WebhookDelivery: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The `webhook-id` of the requests.
             */
            eventId: string;
            type: string;
            /**
             * @description PENDING: it is sent at `nextAttemptAt`. FAILED: it is not sent any more.
             * @enum {string}
             */
            status: "PENDING" | "DELIVERED" | "FAILED";
            /** @description The latest 20 attempts, the oldest first. */
            attempts: {
                /** Format: date-time */
                at: string;
                /** @description Null if there was no answer. */
                statusCode: number | null;
                durationMillis: number;
                /** @description The beginning of the answer's body, at most 1 KiB. */
                answer: string | null;
                /** @description Why the attempt failed; null if the event was received. */
                error: string | null;
            }[];
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
        Availability: {
            /** @enum {string} */
            resource: "gym-name" | "gym-slug" | "slot" | "email";
            value: string;
            available: boolean;
            /** @enum {string} */
            reason?: "INVALID" | "TAKEN" | "RESERVED" | "FULL" | "CLOSED" | "PAST" | "TOO_FAR" | "BOOKED" | "UNKNOWN_LOCATION";
            suggestions: string[];
            /** Format: date-time */
            reservedUntil?: string;
        };
        FirstVisit: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userId: string;
            /** Format: uuid */
            locationId: string;
            /** Format: date-time */
            startsAt: string;
            /** Format: date-time */
            endsAt: string;
        };
        WizardSession: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "GYM_SETUP" | "MEMBER_ONBOARDING";
            /** @enum {string} */
            status: "DRAFT" | "READY" | "DEPLOYING" | "DEPLOYED" | "FAILED" | "CANCELLED" | "EXPIRED";
            definitionVersion: number;
            currentStep: string;
            steps: components["schemas"]["WizardStep"][];
            files: components["schemas"]["WizardFile"][];
            version: number;
            createdBy: string | null;
            gymId: string | null;
            /** Format: date-time */
            expiresAt: string;
            deployment: components["schemas"]["WizardDeployment"] | null;
            resumeToken?: string;
        };
        WizardStep: {
            key: string;
            title: string;
            /** @enum {string} */
            status: "EMPTY" | "INCOMPLETE" | "COMPLETE" | "SKIPPED";
            data: {
                [key: string]: unknown;
            };
            errors: {
                path: string;
                message: string;
            }[];
            currentlyDue: string[];
        };
        WizardFile: {
            /** Format: uuid */
            id: string;
            step: string;
            field: string;
            filename: string;
            /** @enum {string} */
            contentType: "image/webp" | "application/pdf";
            bytes: number;
            /** Format: date-time */
            uploadedAt: string;
            /** Format: uri */
            url: string;
        };
        WizardDeployment: {
            /** @enum {string} */
            status: "RUNNING" | "UNDOING" | "DONE" | "UNDONE" | "UNDO_FAILED";
            /** Format: date-time */
            startedAt: string;
            finishedAt: string | null;
            actions: {
                name: string;
                service: string;
                /** @enum {string} */
                status: "PENDING" | "DONE" | "FAILED" | "UNDONE";
                attempts: number;
                error?: {
                    code: string;
                    message: string;
                };
                undoError?: {
                    code: string;
                    message: string;
                };
                result: unknown;
            }[];
            result: {
                [key: string]: unknown;
            } | null;
            resolution: components["schemas"]["WizardResolution"] | null;
        };
        WizardResolution: {
            /** @enum {string} */
            action: "RETRY" | "ACCEPT";
            note: string;
            by: string | null;
            /** Format: date-time */
            at: string;
        };
        FoodAnalysis: {
            items: components["schemas"]["AnalysisItem"][];
            total: components["schemas"]["Nutrients"];
            confidence: number;
            questions: string[];
            unknown: string[];
            provider: string;
        };
        AnalysisItem: {
            name: string;
            grams: number;
            calories: number;
            protein: number;
            carbs: number;
            fats: number;
            confidence: number;
            known: boolean;
        };
        Nutrients: {
            calories: number;
            protein: number;
            carbs: number;
            fats: number;
        };
        FoodLogImport: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "RUNNING" | "DONE" | "FAILED";
            lines: number;
            imported: number;
            duplicates: number;
            failed: number;
            errors: components["schemas"]["ImportError"][];
            errorsOmitted: number;
            format: components["schemas"]["CsvFormat"] | null;
            /** Format: date-time */
            startedAt: string;
            finishedAt: string | null;
        };
        ImportError: {
            line: number;
            column: string | null;
            message: string;
        };
        /** @description How the file was read. */
        CsvFormat: {
            /** @enum {string} */
            encoding: "UTF_8" | "UTF_16LE" | "UTF_16BE" | "WINDOWS_1252";
            /** @enum {string} */
            delimiter: "COMMA" | "SEMICOLON" | "TAB";
            /** @enum {string} */
            decimal: "POINT" | "COMMA";
            dateOrder: ("DMY" | "MDY") | null;
        };
        FoodLog: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            userId: string;
            foodId: string | null;
            foodName: string;
            calories: number;
            protein: number;
            carbs: number;
            fats: number;
            quantity: number | null;
            unit: string | null;
            grams: number | null;
            mealType: ("BREAKFAST" | "LUNCH" | "DINNER" | "SNACK") | null;
            /** @enum {string} */
            source: "MANUAL" | "AI" | "FOOD_TABLE" | "COPY" | "IMPORT";
            /** Format: date-time */
            loggedAt: string;
            /** Format: date */
            localDate: string;
            /** Format: date-time */
            createdAt: string;
            version: number;
        };
        LoggedMeal: {
            entries: components["schemas"]["FoodLog"][];
            totals: components["schemas"]["Nutrients"];
        };
        /** @description With neither weekday nor date, it is the default goal. */
        NutritionGoal: {
            calories: number;
            protein: number | null;
            carbs: number | null;
            fats: number | null;
            weekday: number | null;
            date: string | null;
            from: string | null;
            until: string | null;
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
        NutritionDay: {
            /** Format: date */
            date: string;
            totals: components["schemas"]["Nutrients"];
            goal: components["schemas"]["NutritionGoal"] | null;
            remaining: components["schemas"]["Remaining"] | null;
            entries: components["schemas"]["FoodLog"][];
        };
        /** @description Goal minus totals. Negative if more was eaten; null if there is no goal for the nutrient. */
        Remaining: {
            calories: number;
            protein: number | null;
            carbs: number | null;
            fats: number | null;
        };
        NutritionPoint: {
            /** Format: date */
            start: string;
            /** Format: date */
            end: string;
            totals: components["schemas"]["Nutrients"];
            averages: components["schemas"]["Nutrients"];
            goal: {
                calories?: number;
                protein?: number;
                carbs?: number;
                fats?: number;
            } | null;
            loggedDays: number;
            entries: number;
        };
        Food: {
            id: string;
            name: string;
            brand: string | null;
            barcode: string | null;
            category: string | null;
            ndb: string | null;
            per100g: components["schemas"]["FoodNutrients"];
            measures: {
                name: string;
                grams: number;
            }[];
            portion: {
                amount: number;
                unit: string;
                grams: number;
            } | null;
            custom: boolean;
            version: number;
        };
        FoodNutrients: {
            calories: number;
            protein: number | null;
            carbs: number | null;
            fats: number | null;
            fibre: number | null;
            sugars: number | null;
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
        ProductVariant: {
            sku: string;
            name: string;
            /** @default null */
            price: number | null;
            /** @default null */
            stock: number | null;
        };
        Exercise: {
            /** Format: uuid */
            id: string;
            name: string;
            aliases: string[];
            description: string | null;
            instructions: string[];
            primaryMuscles: string[];
            secondaryMuscles: string[];
            equipment: string;
            /** @enum {string} */
            level: "Beginner" | "Intermediate" | "Advanced";
            force: string | null;
            mechanic: string | null;
            category: string;
            /** @enum {string} */
            modality: "WEIGHT_REPS" | "BODYWEIGHT_REPS" | "WEIGHTED_BODYWEIGHT" | "DURATION" | "WEIGHT_DURATION" | "DISTANCE_DURATION" | "WEIGHT_DISTANCE";
            image: string | null;
            gymId: string | null;
            version: number;
        };
        Facet: {
            name: string;
            exercises: number;
        };
        WorkoutRoutine: {
            /** Format: uuid */
            id: string;
            title: string;
            description: string | null;
            /** @enum {string} */
            difficulty: "Beginner" | "Intermediate" | "Advanced";
            category: string;
            targetMuscles: string[];
            equipment: string[];
            exercises: components["schemas"]["WorkoutBlockOutput"][];
            image: string | null;
            durationMinutes: number;
            gymId: string | null;
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WorkoutVersion: {
            version: number;
            title: string;
            /** Format: date-time */
            createdAt: string;
        };
        Product: {
            /** Format: uuid */
            id: string;
            sku: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            kind: "SUPPLEMENT" | "MERCHANDISE";
            price: number;
            currency: string;
            images: string[];
            variants: components["schemas"]["ProductVariantOutput"][];
            stock: number | null;
            available: boolean;
            featured: boolean;
            featuredPriority: number | null;
            featuredFrom: string | null;
            featuredUntil: string | null;
            gymId: string | null;
            version: number;
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
        ProductVariantOutput: {
            sku: string;
            name: string;
            /** @default null */
            price: number | null;
            /** @default null */
            stock: number | null;
        };
        OnlineUser: {
            /** @description The user's id. */
            userId: string;
            /** @description The id of the user's gym. */
            gymId: string;
            /** @enum {string} */
            status: "AVAILABLE" | "WORKING_OUT" | "INVISIBLE";
            activity: string | null;
            /** Format: date-time */
            since: string;
        };
        Group: {
            /** Format: uuid */
            id: string;
            gymId: string;
            name: string;
            createdBy: string | null;
            /** @description In the order of joining, without users whom the caller may not see. */
            memberIds: string[];
            memberCount: number;
            joined: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        SquadInvite: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            squadId: string;
            /** @description The id of the gym of both users. */
            gymId: string;
            /** @description The sender's id. */
            fromUserId: string;
            /** @description The receiver's id. */
            toUserId: string;
            message: string | null;
            /** @enum {string} */
            status: "PENDING" | "ACCEPTED" | "DECLINED" | "EXPIRED" | "REVOKED";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            respondedAt: string | null;
        };
        SquadSession: {
            /** Format: uuid */
            id: string;
            gymId: string;
            /** @description The id of the host. */
            hostId: string;
            routineId: string | null;
            routineVersion: number | null;
            /** @enum {string} */
            status: "LOBBY" | "ACTIVE" | "PAUSED" | "ENDED";
            revision: number;
            participants: components["schemas"]["SquadParticipant"][];
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            pausedAt: string | null;
            endedAt: string | null;
        };
        SquadParticipant: {
            /** @description The participant's id. */
            userId: string;
            /** Format: date-time */
            joinedAt: string;
            leftAt: string | null;
            exerciseIndex: number;
            setIndex: number;
            /** @enum {string} */
            phase: "WORK" | "REST" | "DONE";
            restEndsAt: string | null;
            lastSet: {
                reps?: number | null;
                weightKg?: number | null;
                durationSeconds?: number | null;
                distanceMeters?: number | null;
                rpe?: number | null;
            } | null;
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
        SquadMessage: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            squadId: string;
            /** @description The user who wrote the message. */
            userId: string;
            text: string;
            deleted: boolean;
            clientId: string | null;
            seq: number;
            /** Format: date-time */
            sentAt: string;
        };
        SquadMessageReport: {
            /** Format: uuid */
            squadId: string;
            /** Format: uuid */
            messageId: string;
            /** @description The user who reported the message. */
            reporterId: string;
            /** @description The user who wrote the message. */
            authorId: string;
            text: string;
            reason: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        SquadWorkout: {
            /** Format: uuid */
            squadId: string;
            routineId: string | null;
            routineVersion: number | null;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            endedAt: string;
            minutes: number;
            sets: number;
            trainingId: string | null;
            /** @description Everybody who had taken part by then, the user included. An id is null if this person or the user has blocked the other. */
            participantIds: (string | null)[];
        };
        FeedItem: {
            id: string;
            /** @enum {string} */
            kind: "POST" | "ANNOUNCEMENT" | "SQUAD_FINISHED" | "GROUP_CREATED";
            /** Format: date-time */
            at: string;
            /** @description The user who wrote or did it; null for an announcement by a user whom the caller may not see. */
            userId: string | null;
            title: string | null;
            text: string;
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
                    email: string;
                    password: string;
                    displayName: string;
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
                     *       "email": "nora@iron.test",
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
                     *       "version": 3,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "email": "nora@iron.test",
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
                     *       "email": "maya@iron.test",
                     *       "qrCode": "FIT-89a7f8fbf8ccedfff3d2d50e221",
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
                     *         "email": "admin@iron.test",
                     *         "qrCode": "FIT-fff839461e4855818effe585c84",
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
                     *         "email": "maya@iron.test",
                     *         "qrCode": "FIT-89a7f8fbf8ccedfff3d2d50e221"
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
                     *       "email": "maya@iron.test",
                     *       "qrCode": "FIT-89a7f8fbf8ccedfff3d2d50e221"
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
                     *       "email": "maya@iron.test",
                     *       "qrCode": "FIT-89a7f8fbf8ccedfff3d2d50e221"
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
                    email: string;
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
                     *       "refreshToken": "d8148de01a5d37bf3f797d09bdf9ce6863e0609fb65",
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
                     *         "version": 1,
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "updatedAt": "2026-06-15T10:00:00.000Z",
                     *         "email": "nora@iron.test",
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
                 *       "refreshToken": "d8148de01a5d37bf3f797d09bdf9ce6863e0609fb65"
                 *     }
                 */
                "application/json": {
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
                     *         "version": 1,
                     *         "createdAt": "2026-06-15T10:00:00.000Z",
                     *         "updatedAt": "2026-06-15T10:00:00.000Z",
                     *         "email": "nora@iron.test",
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
                 *       "refreshToken": "9f91463de41dbcb81d97ac1a879ee05b1c27b17c879"
                 *     }
                 */
                "application/json": {
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
                     *       "next": "6c30",
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
                 *       "token": "b1186d964dcccad59aa316bb36b498ee8a6a139f470",
                 *       "password": "another-good-password"
                 *     }
                 */
                "application/json": {
                    token: string;
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
                    current: string;
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
                    displayName?: string | null;
                    bio?: string | null;
                    locale?: string | null;
                    timezone?: string | null;
                    units?: ("METRIC" | "IMPERIAL") | null;
                    body?: {
                        heightCm?: number | null;
                        weightKg?: number | null;
                        sex?: ("FEMALE" | "MALE" | "OTHER") | null;
                        birthDate?: string | null;
                    } | null;
                    trainingGoals?: {
                        goals: string[];
                        activity?: string | null;
                    } | null;
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
                     *       "version": 4,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "email": "nora@iron.test",
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
                     *       "version": 5,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "email": "nora@iron.test",
                     *       "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56",
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
                     *       "version": 6,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "email": "nora@iron.test",
                     *       "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56",
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
                    /** @enum {string} */
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
                     *       "version": 2,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "email": "lou@iron.test",
                     *       "qrCode": "FIT-7b08bcaf53c08d03d08b9470ff1"
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
                     *       "version": 3,
                     *       "createdAt": "2026-06-15T10:00:00.000Z",
                     *       "updatedAt": "2026-06-15T10:00:00.000Z",
                     *       "email": "lou@iron.test",
                     *       "qrCode": "FIT-7b08bcaf53c08d03d08b9470ff1"
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
                    email: string;
                    displayName: string;
                    role?: ("MEMBER" | "GYM_ADMIN" | "SUPER_ADMIN") | null;
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
                     *       "email": "kim@iron.test",
                     *       "qrCode": "FIT-3010a57c008e04701ce7df28a84"
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
                     *       "sentAt": "2026-06-15T10:00:00.000Z",
                     *       "expiresAt": "2026-06-22T10:00:00.000Z"
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
                     *             "version": 6,
                     *             "createdAt": "2026-06-15T10:00:00.000Z",
                     *             "updatedAt": "2026-06-15T10:00:00.000Z",
                     *             "email": "nora@iron.test",
                     *             "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56",
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
                     *                 "version": 4,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
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
                     *           "auditEvents": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000016",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "LOGGED_IN",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {}
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000017",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "PASSWORD_RESET",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {
                     *                 "by": "RESET"
                     *               }
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
                     *                 "version": 4,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
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
                     *             "version": 6,
                     *             "createdAt": "2026-06-15T10:00:00.000Z",
                     *             "updatedAt": "2026-06-15T10:00:00.000Z",
                     *             "email": "nora@iron.test",
                     *             "qrCode": "FIT-c4a4803eef0f7faabe7bec99b56",
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
                     *                 "version": 4,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
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
                     *           "auditEvents": [
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000016",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "LOGGED_IN",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {}
                     *             },
                     *             {
                     *               "id": "01900000-0000-7000-9000-000000000017",
                     *               "at": "2026-06-15T10:00:00.000Z",
                     *               "action": "PASSWORD_RESET",
                     *               "actor": "anonymous",
                     *               "subjectId": "01900000-0000-7000-9000-000000000001",
                     *               "details": {
                     *                 "by": "RESET"
                     *               }
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
                     *                 "version": 4,
                     *                 "timezone": "Europe/Berlin",
                     *                 "createdAt": "2026-06-15T10:00:00.000Z",
                     *                 "updatedAt": "2026-06-15T10:00:00.000Z",
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
                 *       "client_secret": "1c48a6b5e9f132a968b2de93d8b95ebc8672171e327",
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
                    name: string;
                    scopes: ("check-in" | "visits:read" | "occupancy:read" | "members:read" | "members:write" | "content:read" | "webhooks" | "events:read")[];
                    locationId?: string | null;
                    expiresAt?: string | null;
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
                     *       "secret": "1c48a6b5e9f132a968b2de93d8b95ebc8672171e327"
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
                    "application/json": components["schemas"]["EventPage"];
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
                    subject: string;
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
                     *           "x": "2ed9822be4ad45ce1c9ce91a39e3b08caad719293d9",
                     *           "y": "a66a5d32a57b5f8f6f9ff1d7850ccb83c846e16c37e",
                     *           "crv": "P-256",
                     *           "kid": "69433b1ac39cca3088edb95f49979777fcfdd15aa33",
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
                     *       "kid": "477a6aa6e10f2cefb5cb1b48fae90ad75e17fa2d49a",
                     *       "signsFrom": "2026-06-15T10:10:00.000Z"
                     *     }
                     */
                    "application/json": {
                        kid: string;
                        /** Format: date-time */
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
                    name: string;
                    slug: string;
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
                    gymId: string;
                    theme?: {
                        [key: string]: unknown;
                    } | null;
                    assets?: {
                        [key: string]: unknown;
                    } | null;
                    features?: {
                        [key: string]: unknown;
                    } | null;
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
                    theme?: {
                        [key: string]: unknown;
                    } | null;
                    assets?: {
                        [key: string]: unknown;
                    } | null;
                    features?: {
                        [key: string]: unknown;
                    } | null;
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
                    gymId?: string | null;
                    name: string;
                    address?: string | null;
                    /** @description IANA time zone, e.g. Europe/Berlin. */
                    timezone: string;
                    capacity: number;
                    maxStayMinutes?: number | null;
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
                    name?: string | null;
                    address?: string | null;
                    timezone?: string | null;
                    capacity?: number | null;
                    maxStayMinutes?: number | null;
                    openingHours?: {
                        [key: string]: {
                            /** @description Local time, HH:MM. */
                            opens: string;
                            /** @description Local time, HH:MM; `24:00` is midnight. */
                            closes: string;
                        };
                    } | null;
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
                    qrCode: string;
                    /** Format: uuid */
                    locationId: string;
                    source?: string | null;
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
                    qrCode?: string | null;
                    userId?: string | null;
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
                    gymId?: string | null;
                    title: string;
                    /** @enum {string} */
                    metric: "CHECK_INS" | "WORKOUTS" | "MINUTES" | "CUSTOM";
                    goal: number;
                    /**
                     * Format: date-time
                     * @description ISO 8601 with Z or an offset, from 1900 to 2999.
                     */
                    startsAt: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601 with Z or an offset, from 1900 to 2999.
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
                    gymId?: string | null;
                    title: string;
                    text: string;
                    startsAt?: string | null;
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
                    products: {
                        /** Format: uuid */
                        productId: string;
                        price?: number | null;
                        currency?: string | null;
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
                    programs: {
                        /** Format: uuid */
                        routineId: string;
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
                    "application/json": components["schemas"]["EventPage"];
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
                    types: ("check_in.opened" | "check_in.closed" | "check_in.undone" | "check_in.denied" | "occupancy.level_changed" | "challenge.ended" | "gym_config.published" | "gym.deployed" | "member.joined" | "member.updated" | "member.removed" | "product.changed")[];
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
                    url?: string | null;
                    types?: ("check_in.opened" | "check_in.closed" | "check_in.undone" | "check_in.denied" | "occupancy.level_changed" | "challenge.ended" | "gym_config.published" | "gym.deployed" | "member.joined" | "member.updated" | "member.removed" | "product.changed")[] | null;
                    /** @description Null removes the description. */
                    description?: string | null;
                    /** @description true switches the webhook on again; the deliveries that wait are then sent. */
                    active?: boolean | null;
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
                     *             "durationMillis": 9
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
                     *           "durationMillis": 9
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
                    /** @enum {string} */
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
                    step?: string | null;
                    data?: {
                        [key: string]: unknown;
                    } | null;
                    currentStep?: string | null;
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
                    /** @enum {string} */
                    action: "RETRY" | "ACCEPT";
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
                        foodId?: string | null;
                        foodName?: string | null;
                        calories?: number | null;
                        protein?: number | null;
                        carbs?: number | null;
                        fats?: number | null;
                        quantity?: number | null;
                        unit?: string | null;
                        grams?: number | null;
                        mealType?: string | null;
                        source?: ("MANUAL" | "AI" | "FOOD_TABLE") | null;
                        loggedAt?: string | null;
                        localDate?: string | null;
                        timezone?: string | null;
                    }[];
                    foodId?: string | null;
                    foodName?: string | null;
                    calories?: number | null;
                    protein?: number | null;
                    carbs?: number | null;
                    fats?: number | null;
                    quantity?: number | null;
                    unit?: string | null;
                    grams?: number | null;
                    mealType?: string | null;
                    source?: ("MANUAL" | "AI" | "FOOD_TABLE") | null;
                    loggedAt?: string | null;
                    localDate?: string | null;
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
                    foodId?: string | null;
                    foodName?: string | null;
                    calories?: number | null;
                    protein?: number | null;
                    carbs?: number | null;
                    fats?: number | null;
                    quantity?: number | null;
                    unit?: string | null;
                    grams?: number | null;
                    mealType?: string | null;
                    loggedAt?: string | null;
                    localDate?: string | null;
                    timezone?: string | null;
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
                    mealType?: string | null;
                    loggedAt?: string | null;
                    localDate?: string | null;
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
                    calories: number;
                    protein?: number | null;
                    carbs?: number | null;
                    fats?: number | null;
                    weekday?: number | null;
                    date?: string | null;
                    from?: string | null;
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
                    name: string;
                    brand?: string | null;
                    barcode?: string | null;
                    per100g: {
                        calories: number;
                        protein?: number | null;
                        carbs?: number | null;
                        fats?: number | null;
                        fibre?: number | null;
                        sugars?: number | null;
                        salt?: number | null;
                    };
                    measures?: {
                        name: string;
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
                    name?: string | null;
                    brand?: string | null;
                    barcode?: string | null;
                    measures?: {
                        name: string;
                        grams: number;
                    }[] | null;
                    per100g?: {
                        calories?: number;
                        protein?: number | null;
                        carbs?: number | null;
                        fats?: number | null;
                        fibre?: number | null;
                        sugars?: number | null;
                        salt?: number | null;
                    } | null;
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
                    gymId?: string | null;
                    name: string;
                    aliases?: string[] | null;
                    description?: string | null;
                    instructions?: string[] | null;
                    primaryMuscles: string[];
                    secondaryMuscles?: string[] | null;
                    equipment?: string | null;
                    level?: ("Beginner" | "Intermediate" | "Advanced") | null;
                    force?: ("push" | "pull" | "static") | null;
                    mechanic?: ("compound" | "isolation") | null;
                    category?: string | null;
                    /** @enum {string} */
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
                    name?: string | null;
                    aliases?: string[] | null;
                    description?: string | null;
                    instructions?: string[] | null;
                    primaryMuscles?: string[] | null;
                    secondaryMuscles?: string[] | null;
                    equipment?: string | null;
                    level?: ("Beginner" | "Intermediate" | "Advanced") | null;
                    force?: ("push" | "pull" | "static") | null;
                    mechanic?: ("compound" | "isolation") | null;
                    category?: string | null;
                    modality?: ("WEIGHT_REPS" | "BODYWEIGHT_REPS" | "WEIGHTED_BODYWEIGHT" | "DURATION" | "WEIGHT_DURATION" | "DISTANCE_DURATION" | "WEIGHT_DISTANCE") | null;
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
                    gymId?: string | null;
                    title: string;
                    description?: string | null;
                    /** @enum {string} */
                    difficulty: "Beginner" | "Intermediate" | "Advanced";
                    category: string;
                    targetMuscles?: string[] | null;
                    /** @default [] */
                    exercises?: components["schemas"]["WorkoutBlock"][];
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
                    title?: string | null;
                    description?: string | null;
                    difficulty?: ("Beginner" | "Intermediate" | "Advanced") | null;
                    category?: string | null;
                    targetMuscles?: string[] | null;
                    exercises?: components["schemas"]["WorkoutBlock"][] | null;
                    durationMinutes?: number | null;
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
                    "application/json": components["schemas"]["Product"][];
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
                    gymId?: string | null;
                    sku: string;
                    name: string;
                    description?: string | null;
                    /** @enum {string} */
                    kind: "SUPPLEMENT" | "MERCHANDISE";
                    price: number;
                    currency: string;
                    images?: string[] | null;
                    variants?: components["schemas"]["ProductVariant"][] | null;
                    stock?: number | null;
                    featuredPriority?: number | null;
                    featuredFrom?: string | null;
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
                    "application/json": components["schemas"]["Product"];
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
                    "application/json": components["schemas"]["Product"][];
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
                    "application/json": components["schemas"]["Product"];
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
                    sku?: string | null;
                    name?: string | null;
                    description?: string | null;
                    kind?: ("SUPPLEMENT" | "MERCHANDISE") | null;
                    price?: number | null;
                    currency?: string | null;
                    images?: string[] | null;
                    variants?: components["schemas"]["ProductVariant"][] | null;
                    stock?: number | null;
                    featuredPriority?: number | null;
                    featuredFrom?: string | null;
                    featuredUntil?: string | null;
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
                    "application/json": components["schemas"]["Product"];
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
                    "application/json": components["schemas"]["Product"];
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
                    "application/json": components["schemas"]["EventPage"];
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
                    status?: ("AVAILABLE" | "WORKING_OUT" | "INVISIBLE" | "OFFLINE") | null;
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
                        online: boolean;
                        status: ("AVAILABLE" | "WORKING_OUT" | "INVISIBLE") | null;
                        activity: string | null;
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
                    /** Format: uuid */
                    toUserId: string;
                    squadId?: string | null;
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
                    /** Format: uuid */
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
                    /** Format: uuid */
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
                    eventId: string;
                    exerciseIndex: number;
                    setIndex: number;
                    exerciseId?: string | null;
                    /** @enum {string} */
                    phase: "WORK" | "REST" | "DONE";
                    set?: {
                        reps?: number | null;
                        weightKg?: number | null;
                        durationSeconds?: number | null;
                        distanceMeters?: number | null;
                        rpe?: number | null;
                    } | null;
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
                    text: string;
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
}
