// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { AccountDeletion as AccountDeletionModel, AccountExport as AccountExportModel, AuditEvent as AuditEventModel, AuthPayload as AuthPayloadModel, Invitation as InvitationModel, Session as SessionModel, User as UserModel } from './models.ts';
import type { Context } from './services.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** ISO 8601 in UTC, e.g. `2026-01-31T18:00:00.000Z`. */
  DateTime: { input: string; output: string; }
  /** Any JSON value; the description of each field defines its structure. */
  JSON: { input: unknown; output: unknown; }
  /** A file of a GraphQL multipart request. */
  Upload: { input: Promise<import('graphql-upload/processRequest.mjs').FileUpload>; output: never; }
  _FieldSet: { input: unknown; output: unknown; }
};

export type Query = {
  __typename?: 'Query';
  /** The logged-in user. `UNAUTHENTICATED` without a log-in. */
  me: Maybe<User>;
  /** A user that you may see: yourself, users of your gym, SUPER_ADMINs; a SUPER_ADMIN sees every user. Null for any other user. */
  user: Maybe<User>;
  /** The users of your gym for its GYM_ADMIN, all users or those of `gymId` for a SUPER_ADMIN; in the order of registration. */
  users: Maybe<UserConnection>;
  /** The user with this QR code; for the admins of the user's gym. Null if no user has it. */
  userByQrCode: Maybe<User>;
  /** The SUPER_ADMINs, whom users contact for support; with their email. */
  superAdmins: Maybe<Array<User>>;
  /** Open invitations, the oldest first: those of your gym for its GYM_ADMIN, all or those of `gymId` for a SUPER_ADMIN. */
  invitations: Maybe<InvitationConnection>;
  /** Your sessions, the most recently used first. */
  sessions: Maybe<Array<Session>>;
  /**
   * Everything that all services store about you: `{exportedAt, services: {identity: {user, sessions, ...}, gym: {checkIns: [...], ...}, ...}}`.
   * `UPSTREAM_UNAVAILABLE` if a service does not answer, `PAYLOAD_TOO_LARGE` above 8 MiB. `requestAccountExport` has neither limit.
   */
  exportMyAccount: Maybe<Scalars['JSON']['output']>;
  /** Your exports, the newest first. */
  accountExports: Maybe<Array<AccountExport>>;
  /** The state of one of your exports; null if there is none, or if it has expired. */
  accountExport: Maybe<AccountExport>;
  /** The receipt of a deletion, for every caller with its id; null if there is none. */
  accountDeletion: Maybe<AccountDeletion>;
  /** The audit trail: role changes, gym changes, resets, deletions and the like, the newest first; of one user if `userId` is given. For SUPER_ADMIN. */
  auditEvents: Maybe<AuditEventConnection>;
};


export type QueryUserArgs = {
  id: Scalars['ID']['input'];
};


export type QueryUsersArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryUserByQrCodeArgs = {
  qrCode: Scalars['String']['input'];
};


export type QueryInvitationsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryAccountExportArgs = {
  id: Scalars['ID']['input'];
};


export type QueryAccountDeletionArgs = {
  id: Scalars['ID']['input'];
};


export type QueryAuditEventsArgs = {
  userId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Creates an account; its role is always MEMBER. `CONFLICT` if the email is taken, in any case; `VALIDATION_FAILED` for a gym
   * that does not exist; `UPSTREAM_UNAVAILABLE` if that cannot be checked now.
   */
  register: Maybe<User>;
  /** Logs in. `UNAUTHENTICATED` if email or password is wrong; the answer does not say which. */
  login: Maybe<AuthPayload>;
  /** Returns the next tokens for the latest refresh token. A token that was used before ends the session. */
  refreshToken: Maybe<AuthPayload>;
  /** Ends the session of the refresh token, or without one the session of the access token. Always true. */
  logout: Maybe<Scalars['Boolean']['output']>;
  /** Ends one of your sessions. Always true. */
  endSession: Maybe<Scalars['Boolean']['output']>;
  /** Requests a mail to set a new password, if an account has that address. Always true. */
  requestPasswordReset: Maybe<Scalars['Boolean']['output']>;
  /** Sets a new password with the token of a mail, once; ends all sessions of the account. Always true. */
  resetPassword: Maybe<Scalars['Boolean']['output']>;
  /**
   * Changes your password and ends all your other sessions. A wrong current password is `FORBIDDEN` and counts as a
   * failed log-in. Always true.
   */
  changePassword: Maybe<Scalars['Boolean']['output']>;
  /** Changes your profile; absent fields are unchanged. `VERSION_CONFLICT` if `version` is given and is not the stored one. */
  updateProfile: Maybe<User>;
  /** Uploads your new picture: JPEG, PNG, WebP or AVIF, at most 10 MiB. */
  uploadAvatar: Maybe<User>;
  /** Gives you a new QR code; the previous one is no longer valid. */
  rotateQrCode: Maybe<User>;
  /** Changes the role of a user; audited. For SUPER_ADMIN. `CONFLICT` for the last SUPER_ADMIN. */
  setRole: Maybe<User>;
  /** Moves a user to a gym, or out of their gym; audited. A SUPER_ADMIN may move any user to any gym; a GYM_ADMIN may add members without a gym to their own gym, and remove its members. */
  setGym: Maybe<User>;
  /** Creates an account whose password the user sets with a mailed token. A GYM_ADMIN invites members into their gym, a SUPER_ADMIN anybody. */
  inviteUser: Maybe<User>;
  /**
   * Sends the mail of an invitation again, with a new token; one user gets at most five mails an hour. For the GYM_ADMIN of
   * its gym, and SUPER_ADMIN.
   */
  resendInvitation: Maybe<Invitation>;
  /** Withdraws an invitation that has not been accepted. For the GYM_ADMIN of its gym, and SUPER_ADMIN. Always true. */
  withdrawInvitation: Maybe<Scalars['Boolean']['output']>;
  /**
   * Requests an export of everything that all services store about you. It is made in the background, also while a service is
   * down, and kept for 7 days. If an export is already running, returns that one.
   */
  requestAccountExport: Maybe<AccountExport>;
  /** Deletes your account, immediately and finally: in identity with this answer, in the other services as soon as each answers. `FORBIDDEN` if the password is wrong. */
  deleteMyAccount: Maybe<AccountDeletion>;
  /** Rotates the key that signs access tokens now. For SUPER_ADMIN. */
  rotateSigningKey: Maybe<SigningKey>;
};


export type MutationRegisterArgs = {
  input: RegisterInput;
};


export type MutationLoginArgs = {
  input: LoginInput;
};


export type MutationRefreshTokenArgs = {
  input: RefreshTokenInput;
};


export type MutationLogoutArgs = {
  input?: InputMaybe<LogoutInput>;
};


export type MutationEndSessionArgs = {
  input: EndSessionInput;
};


export type MutationRequestPasswordResetArgs = {
  input: RequestPasswordResetInput;
};


export type MutationResetPasswordArgs = {
  input: ResetPasswordInput;
};


export type MutationChangePasswordArgs = {
  input: ChangePasswordInput;
};


export type MutationUpdateProfileArgs = {
  input: UpdateProfileInput;
};


export type MutationUploadAvatarArgs = {
  file: Scalars['Upload']['input'];
};


export type MutationSetRoleArgs = {
  input: SetRoleInput;
};


export type MutationSetGymArgs = {
  input: SetGymInput;
};


export type MutationInviteUserArgs = {
  input: InviteUserInput;
};


export type MutationResendInvitationArgs = {
  input: ResendInvitationInput;
};


export type MutationWithdrawInvitationArgs = {
  input: WithdrawInvitationInput;
};


export type MutationDeleteMyAccountArgs = {
  input: DeleteMyAccountInput;
};

/** A user: a person with an account. */
export type User = {
  __typename?: 'User';
  id: Scalars['ID']['output'];
  /** The email for log-in. Visible only to the user and the admins of their gym; the email of a SUPER_ADMIN is visible to every logged-in user. */
  email: Maybe<Scalars['String']['output']>;
  displayName: Scalars['String']['output'];
  /** A text by the user about themselves. */
  bio: Maybe<Scalars['String']['output']>;
  role: Role;
  /** The gym that the user belongs to; null if there is none. */
  gymId: Maybe<Scalars['ID']['output']>;
  /** The code that the member shows to check in. Visible only to the user and the admins of their gym. */
  qrCode: Maybe<Scalars['String']['output']>;
  /** Path of the picture, at the server of this request; at the gateway `/identity/avatars/<file>`. Null if there is none. */
  avatar: Maybe<Scalars['String']['output']>;
  /** BCP 47 language tag, e.g. `de-AT`. */
  locale: Scalars['String']['output'];
  /** IANA time zone, e.g. `Europe/Berlin`. */
  timezone: Scalars['String']['output'];
  units: Units;
  /** Visible only to the user; null if not given. */
  body: Maybe<UserBody>;
  /** What the user trains for. Visible only to the user; null if not given. */
  trainingGoals: Maybe<TrainingGoals>;
  /** Increases with every change. */
  version: Scalars['Int']['output'];
  createdAt: Scalars['DateTime']['output'];
  updatedAt: Scalars['DateTime']['output'];
};

/** Measurements by the user; each is null if not given. */
export type UserBody = {
  __typename?: 'UserBody';
  heightCm: Maybe<Scalars['Float']['output']>;
  weightKg: Maybe<Scalars['Float']['output']>;
  sex: Maybe<Sex>;
  /** YYYY-MM-DD */
  birthDate: Maybe<Scalars['String']['output']>;
};

export type Sex =
  | 'FEMALE'
  | 'MALE'
  | 'OTHER';

export type TrainingGoals = {
  __typename?: 'TrainingGoals';
  goals: Array<Scalars['String']['output']>;
  /** How active the user is, in their own words. */
  activity: Maybe<Scalars['String']['output']>;
};

/** An account that was created for a user who has not set a password yet. */
export type Invitation = {
  __typename?: 'Invitation';
  /** The id of the invited user. */
  id: Scalars['ID']['output'];
  userId: Scalars['ID']['output'];
  email: Scalars['String']['output'];
  displayName: Scalars['String']['output'];
  role: Role;
  gymId: Maybe<Scalars['ID']['output']>;
  createdAt: Scalars['DateTime']['output'];
  /** When the latest mail was sent. Null before the first mail, and again some days after the last one has expired. */
  sentAt: Maybe<Scalars['DateTime']['output']>;
  /** When the token of the latest mail expires. */
  expiresAt: Maybe<Scalars['DateTime']['output']>;
};

export type Role =
  /** Trains at a gym. */
  | 'MEMBER'
  /** Manages one gym. */
  | 'GYM_ADMIN'
  /** Manages the platform. */
  | 'SUPER_ADMIN';

/** The units in which front ends show weights and lengths; stored values are always metric. */
export type Units =
  /** Kilograms, centimetres. */
  | 'METRIC'
  /** Pounds, feet and inches. */
  | 'IMPERIAL';

/** One log-in: its family of refresh tokens. */
export type Session = {
  __typename?: 'Session';
  id: Scalars['ID']['output'];
  createdAt: Scalars['DateTime']['output'];
  /** Time of the log-in or of the latest refresh. */
  lastUsedAt: Scalars['DateTime']['output'];
  /** When the session expires; extended by each refresh. */
  expiresAt: Scalars['DateTime']['output'];
  /** `User-Agent` of the log-in. */
  userAgent: Scalars['String']['output'];
  /** Network address of the log-in. */
  address: Scalars['String']['output'];
  /** Whether this request belongs to it. */
  current: Scalars['Boolean']['output'];
};

/** The result of a log-in or a refresh. */
export type AuthPayload = {
  __typename?: 'AuthPayload';
  /** Access token (JWT), to be sent as `Authorization: Bearer <token>`. */
  token: Scalars['String']['output'];
  /** Always `Bearer`. */
  tokenType: Scalars['String']['output'];
  /** Seconds until the access token expires. */
  expiresIn: Scalars['Int']['output'];
  /** Returns the next tokens, once; a second use ends the session. */
  refreshToken: Scalars['String']['output'];
  user: User;
};

/** A copy of everything that all services store about a user. */
export type AccountExport = {
  __typename?: 'AccountExport';
  id: Scalars['ID']['output'];
  requestedAt: Scalars['DateTime']['output'];
  /** Null while a part is PENDING. */
  finishedAt: Maybe<Scalars['DateTime']['output']>;
  /** The export can be downloaded until then. */
  expiresAt: Scalars['DateTime']['output'];
  /** One part for each service. */
  parts: Array<AccountExportPart>;
  /** Path of the JSON document, at the server of this request; download it with your access token. Null until it is complete. */
  document: Maybe<Scalars['String']['output']>;
};

export type AccountExportPart = {
  __typename?: 'AccountExportPart';
  service: Scalars['String']['output'];
  status: AccountExportStatus;
};

export type AccountExportStatus =
  /** Requested until the service answers. */
  | 'PENDING'
  | 'DONE';

/** The receipt of a deleted account. */
export type AccountDeletion = {
  __typename?: 'AccountDeletion';
  id: Scalars['ID']['output'];
  requestedAt: Scalars['DateTime']['output'];
  /** Null while a part is PENDING. */
  finishedAt: Maybe<Scalars['DateTime']['output']>;
  /** What each service did. */
  parts: Array<AccountPart>;
};

export type AccountPart = {
  __typename?: 'AccountPart';
  service: Scalars['String']['output'];
  outcome: AccountPartOutcome;
  /** What is kept and why, if anything is. */
  reason: Maybe<Scalars['String']['output']>;
};

export type AccountPartOutcome =
  /** Not done yet; the service is called until it has done it. */
  | 'PENDING'
  /** Nothing is left, except what `reason` says. */
  | 'DELETED'
  /** Something is left, but nothing in it identifies the user. */
  | 'ANONYMISED'
  /** Something is kept unchanged, because of `reason`. */
  | 'RETAINED';

/** An action on an account, with its actor. */
export type AuditEvent = {
  __typename?: 'AuditEvent';
  id: Scalars['ID']['output'];
  at: Scalars['DateTime']['output'];
  /** `LOGGED_IN`, `LOGIN_FAILED`, `LOGIN_LOCKED`, `PASSWORD_CHANGED`, `ROLE_CHANGED`, `GYM_CHANGED`, `PASSWORD_RESET`, `REFRESH_TOKEN_REUSED`, `USER_INVITED`, `INVITATION_SENT_AGAIN`, `INVITATION_WITHDRAWN`, `ACCOUNT_DELETED`, `SIGNING_KEY_ROTATED`. */
  action: Scalars['String']['output'];
  /** `user:<id>`, `service:<name>` or `anonymous`. */
  actor: Scalars['String']['output'];
  /** The user whose account it was. */
  subjectId: Maybe<Scalars['ID']['output']>;
  /** Names and values, e.g. `{from: "MEMBER", to: "GYM_ADMIN"}`. */
  details: Scalars['JSON']['output'];
};

export type AuditEventConnection = {
  __typename?: 'AuditEventConnection';
  edges: Array<AuditEventEdge>;
  nodes: Array<AuditEvent>;
  pageInfo: PageInfo;
};

export type AuditEventEdge = {
  __typename?: 'AuditEventEdge';
  cursor: Scalars['String']['output'];
  node: AuditEvent;
};

/** The next key that signs access tokens. */
export type SigningKey = {
  __typename?: 'SigningKey';
  /** Its id in the published key set. */
  kid: Scalars['String']['output'];
  /** The key is already published, and signs from this time on. */
  signsFrom: Scalars['DateTime']['output'];
};

export type InvitationConnection = {
  __typename?: 'InvitationConnection';
  edges: Array<InvitationEdge>;
  nodes: Array<Invitation>;
  pageInfo: PageInfo;
};

export type InvitationEdge = {
  __typename?: 'InvitationEdge';
  cursor: Scalars['String']['output'];
  node: Invitation;
};

export type UserConnection = {
  __typename?: 'UserConnection';
  edges: Array<UserEdge>;
  nodes: Array<User>;
  pageInfo: PageInfo;
};

export type UserEdge = {
  __typename?: 'UserEdge';
  cursor: Scalars['String']['output'];
  node: User;
};

/** The position of a page in its connection. */
export type PageInfo = {
  __typename?: 'PageInfo';
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor: Maybe<Scalars['String']['output']>;
  endCursor: Maybe<Scalars['String']['output']>;
};

export type RegisterInput = {
  email: Scalars['String']['input'];
  /** At least 8 characters, and not like the email. */
  password: Scalars['String']['input'];
  displayName: Scalars['String']['input'];
  /** The gym to join; later only an admin moves a user. */
  gymId?: InputMaybe<Scalars['ID']['input']>;
};

export type LoginInput = {
  email: Scalars['String']['input'];
  password: Scalars['String']['input'];
};

export type RefreshTokenInput = {
  refreshToken: Scalars['String']['input'];
};

export type LogoutInput = {
  refreshToken?: InputMaybe<Scalars['String']['input']>;
};

export type EndSessionInput = {
  id: Scalars['ID']['input'];
};

export type RequestPasswordResetInput = {
  email: Scalars['String']['input'];
};

export type ChangePasswordInput = {
  /** The current password. */
  current: Scalars['String']['input'];
  /** At least 8 characters, not like the email, and not one of the most common passwords. */
  password: Scalars['String']['input'];
};

export type ResetPasswordInput = {
  /** The token of the mail. */
  token: Scalars['String']['input'];
  /** At least 8 characters, and not like the email. */
  password: Scalars['String']['input'];
};

export type UpdateProfileInput = {
  displayName?: InputMaybe<Scalars['String']['input']>;
  /** An empty bio removes it. */
  bio?: InputMaybe<Scalars['String']['input']>;
  /** BCP 47 language tag, e.g. `de-AT`. */
  locale?: InputMaybe<Scalars['String']['input']>;
  /** IANA time zone, e.g. `Europe/Berlin`. */
  timezone?: InputMaybe<Scalars['String']['input']>;
  units?: InputMaybe<Units>;
  /** An absent key is unchanged; null removes it. */
  body?: InputMaybe<UserBodyInput>;
  /** Replaced as a whole; without goals and activity it is removed. */
  trainingGoals?: InputMaybe<TrainingGoalsInput>;
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type UserBodyInput = {
  heightCm?: InputMaybe<Scalars['Float']['input']>;
  weightKg?: InputMaybe<Scalars['Float']['input']>;
  sex?: InputMaybe<Sex>;
  /** YYYY-MM-DD, at least 13 years ago. */
  birthDate?: InputMaybe<Scalars['String']['input']>;
};

export type TrainingGoalsInput = {
  /** At most 10, each of at most 60 characters. */
  goals: Array<Scalars['String']['input']>;
  activity?: InputMaybe<Scalars['String']['input']>;
};

export type SetRoleInput = {
  userId: Scalars['ID']['input'];
  role: Role;
};

export type SetGymInput = {
  userId: Scalars['ID']['input'];
  /** Required; null: no gym. */
  gymId?: InputMaybe<Scalars['ID']['input']>;
};

export type InviteUserInput = {
  email: Scalars['String']['input'];
  displayName: Scalars['String']['input'];
  /** Default MEMBER. */
  role?: InputMaybe<Role>;
  gymId?: InputMaybe<Scalars['ID']['input']>;
};

export type ResendInvitationInput = {
  userId: Scalars['ID']['input'];
};

export type WithdrawInvitationInput = {
  userId: Scalars['ID']['input'];
};

export type DeleteMyAccountInput = {
  /** The current password, as confirmation. */
  password: Scalars['String']['input'];
};



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  User:
    ( { __typename: 'User' }
    & GraphQLRecursivePick<FederationTypes['User'], {"id":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  Upload: ResolverTypeWrapper<Scalars['Upload']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  User: ResolverTypeWrapper<UserModel>;
  UserBody: ResolverTypeWrapper<UserBody>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  Sex: Sex;
  TrainingGoals: ResolverTypeWrapper<TrainingGoals>;
  Invitation: ResolverTypeWrapper<InvitationModel>;
  Role: Role;
  Units: Units;
  Session: ResolverTypeWrapper<SessionModel>;
  AuthPayload: ResolverTypeWrapper<AuthPayloadModel>;
  AccountExport: ResolverTypeWrapper<AccountExportModel>;
  AccountExportPart: ResolverTypeWrapper<AccountExportPart>;
  AccountExportStatus: AccountExportStatus;
  AccountDeletion: ResolverTypeWrapper<AccountDeletionModel>;
  AccountPart: ResolverTypeWrapper<AccountPart>;
  AccountPartOutcome: AccountPartOutcome;
  AuditEvent: ResolverTypeWrapper<AuditEventModel>;
  AuditEventConnection: ResolverTypeWrapper<Omit<AuditEventConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['AuditEventEdge']>, nodes: Array<ResolversTypes['AuditEvent']> }>;
  AuditEventEdge: ResolverTypeWrapper<Omit<AuditEventEdge, 'node'> & { node: ResolversTypes['AuditEvent'] }>;
  SigningKey: ResolverTypeWrapper<SigningKey>;
  InvitationConnection: ResolverTypeWrapper<Omit<InvitationConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['InvitationEdge']>, nodes: Array<ResolversTypes['Invitation']> }>;
  InvitationEdge: ResolverTypeWrapper<Omit<InvitationEdge, 'node'> & { node: ResolversTypes['Invitation'] }>;
  UserConnection: ResolverTypeWrapper<Omit<UserConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['UserEdge']>, nodes: Array<ResolversTypes['User']> }>;
  UserEdge: ResolverTypeWrapper<Omit<UserEdge, 'node'> & { node: ResolversTypes['User'] }>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  RegisterInput: RegisterInput;
  LoginInput: LoginInput;
  RefreshTokenInput: RefreshTokenInput;
  LogoutInput: LogoutInput;
  EndSessionInput: EndSessionInput;
  RequestPasswordResetInput: RequestPasswordResetInput;
  ChangePasswordInput: ChangePasswordInput;
  ResetPasswordInput: ResetPasswordInput;
  UpdateProfileInput: UpdateProfileInput;
  UserBodyInput: UserBodyInput;
  TrainingGoalsInput: TrainingGoalsInput;
  SetRoleInput: SetRoleInput;
  SetGymInput: SetGymInput;
  InviteUserInput: InviteUserInput;
  ResendInvitationInput: ResendInvitationInput;
  WithdrawInvitationInput: WithdrawInvitationInput;
  DeleteMyAccountInput: DeleteMyAccountInput;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  JSON: Scalars['JSON']['output'];
  Upload: Scalars['Upload']['output'];
  Query: Record<PropertyKey, never>;
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  String: Scalars['String']['output'];
  Mutation: Record<PropertyKey, never>;
  Boolean: Scalars['Boolean']['output'];
  User: UserModel;
  UserBody: UserBody;
  Float: Scalars['Float']['output'];
  TrainingGoals: TrainingGoals;
  Invitation: InvitationModel;
  Session: SessionModel;
  AuthPayload: AuthPayloadModel;
  AccountExport: AccountExportModel;
  AccountExportPart: AccountExportPart;
  AccountDeletion: AccountDeletionModel;
  AccountPart: AccountPart;
  AuditEvent: AuditEventModel;
  AuditEventConnection: Omit<AuditEventConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['AuditEventEdge']>, nodes: Array<ResolversParentTypes['AuditEvent']> };
  AuditEventEdge: Omit<AuditEventEdge, 'node'> & { node: ResolversParentTypes['AuditEvent'] };
  SigningKey: SigningKey;
  InvitationConnection: Omit<InvitationConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['InvitationEdge']>, nodes: Array<ResolversParentTypes['Invitation']> };
  InvitationEdge: Omit<InvitationEdge, 'node'> & { node: ResolversParentTypes['Invitation'] };
  UserConnection: Omit<UserConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['UserEdge']>, nodes: Array<ResolversParentTypes['User']> };
  UserEdge: Omit<UserEdge, 'node'> & { node: ResolversParentTypes['User'] };
  PageInfo: PageInfo;
  RegisterInput: RegisterInput;
  LoginInput: LoginInput;
  RefreshTokenInput: RefreshTokenInput;
  LogoutInput: LogoutInput;
  EndSessionInput: EndSessionInput;
  RequestPasswordResetInput: RequestPasswordResetInput;
  ChangePasswordInput: ChangePasswordInput;
  ResetPasswordInput: ResetPasswordInput;
  UpdateProfileInput: UpdateProfileInput;
  UserBodyInput: UserBodyInput;
  TrainingGoalsInput: TrainingGoalsInput;
  SetRoleInput: SetRoleInput;
  SetGymInput: SetGymInput;
  InviteUserInput: InviteUserInput;
  ResendInvitationInput: ResendInvitationInput;
  WithdrawInvitationInput: WithdrawInvitationInput;
  DeleteMyAccountInput: DeleteMyAccountInput;
};

export type SameForGymDirectiveArgs = { };

export type SameForGymDirectiveResolver<Result, Parent, ContextType = Context, Args = SameForGymDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export interface UploadScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Upload'], any> {
  name: 'Upload';
}

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  me?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<QueryUserArgs, 'id'>>;
  users?: Resolver<Maybe<ResolversTypes['UserConnection']>, ParentType, ContextType, Partial<QueryUsersArgs>>;
  userByQrCode?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<QueryUserByQrCodeArgs, 'qrCode'>>;
  superAdmins?: Resolver<Maybe<Array<ResolversTypes['User']>>, ParentType, ContextType>;
  invitations?: Resolver<Maybe<ResolversTypes['InvitationConnection']>, ParentType, ContextType, Partial<QueryInvitationsArgs>>;
  sessions?: Resolver<Maybe<Array<ResolversTypes['Session']>>, ParentType, ContextType>;
  exportMyAccount?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  accountExports?: Resolver<Maybe<Array<ResolversTypes['AccountExport']>>, ParentType, ContextType>;
  accountExport?: Resolver<Maybe<ResolversTypes['AccountExport']>, ParentType, ContextType, RequireFields<QueryAccountExportArgs, 'id'>>;
  accountDeletion?: Resolver<Maybe<ResolversTypes['AccountDeletion']>, ParentType, ContextType, RequireFields<QueryAccountDeletionArgs, 'id'>>;
  auditEvents?: Resolver<Maybe<ResolversTypes['AuditEventConnection']>, ParentType, ContextType, Partial<QueryAuditEventsArgs>>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  register?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationRegisterArgs, 'input'>>;
  login?: Resolver<Maybe<ResolversTypes['AuthPayload']>, ParentType, ContextType, RequireFields<MutationLoginArgs, 'input'>>;
  refreshToken?: Resolver<Maybe<ResolversTypes['AuthPayload']>, ParentType, ContextType, RequireFields<MutationRefreshTokenArgs, 'input'>>;
  logout?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, Partial<MutationLogoutArgs>>;
  endSession?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationEndSessionArgs, 'input'>>;
  requestPasswordReset?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationRequestPasswordResetArgs, 'input'>>;
  resetPassword?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationResetPasswordArgs, 'input'>>;
  changePassword?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationChangePasswordArgs, 'input'>>;
  updateProfile?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationUpdateProfileArgs, 'input'>>;
  uploadAvatar?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationUploadAvatarArgs, 'file'>>;
  rotateQrCode?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  setRole?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationSetRoleArgs, 'input'>>;
  setGym?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationSetGymArgs, 'input'>>;
  inviteUser?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationInviteUserArgs, 'input'>>;
  resendInvitation?: Resolver<Maybe<ResolversTypes['Invitation']>, ParentType, ContextType, RequireFields<MutationResendInvitationArgs, 'input'>>;
  withdrawInvitation?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationWithdrawInvitationArgs, 'input'>>;
  requestAccountExport?: Resolver<Maybe<ResolversTypes['AccountExport']>, ParentType, ContextType>;
  deleteMyAccount?: Resolver<Maybe<ResolversTypes['AccountDeletion']>, ParentType, ContextType, RequireFields<MutationDeleteMyAccountArgs, 'input'>>;
  rotateSigningKey?: Resolver<Maybe<ResolversTypes['SigningKey']>, ParentType, ContextType>;
};

export type UserResolvers<ContextType = Context, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User'], FederationReferenceType extends FederationReferenceTypes['User'] = FederationReferenceTypes['User']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['User']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  displayName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  bio?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  role?: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
  gymId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  qrCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  avatar?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  locale?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  timezone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  units?: Resolver<ResolversTypes['Units'], ParentType, ContextType>;
  body?: Resolver<Maybe<ResolversTypes['UserBody']>, ParentType, ContextType>;
  trainingGoals?: Resolver<Maybe<ResolversTypes['TrainingGoals']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type UserBodyResolvers<ContextType = Context, ParentType extends ResolversParentTypes['UserBody'] = ResolversParentTypes['UserBody']> = {
  heightCm?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  weightKg?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  sex?: Resolver<Maybe<ResolversTypes['Sex']>, ParentType, ContextType>;
  birthDate?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type TrainingGoalsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['TrainingGoals'] = ResolversParentTypes['TrainingGoals']> = {
  goals?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  activity?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type InvitationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Invitation'] = ResolversParentTypes['Invitation']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  userId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  email?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  displayName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
  gymId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  sentAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type SessionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Session'] = ResolversParentTypes['Session']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  lastUsedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  userAgent?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  address?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  current?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type AuthPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AuthPayload'] = ResolversParentTypes['AuthPayload']> = {
  token?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  tokenType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiresIn?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  refreshToken?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  user?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type AccountExportResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AccountExport'] = ResolversParentTypes['AccountExport']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  requestedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  parts?: Resolver<Array<ResolversTypes['AccountExportPart']>, ParentType, ContextType>;
  document?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AccountExportPartResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AccountExportPart'] = ResolversParentTypes['AccountExportPart']> = {
  service?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['AccountExportStatus'], ParentType, ContextType>;
};

export type AccountDeletionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AccountDeletion'] = ResolversParentTypes['AccountDeletion']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  requestedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  parts?: Resolver<Array<ResolversTypes['AccountPart']>, ParentType, ContextType>;
};

export type AccountPartResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AccountPart'] = ResolversParentTypes['AccountPart']> = {
  service?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['AccountPartOutcome'], ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AuditEventResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AuditEvent'] = ResolversParentTypes['AuditEvent']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  action?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  actor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  subjectId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  details?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
};

export type AuditEventConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AuditEventConnection'] = ResolversParentTypes['AuditEventConnection']> = {
  edges?: Resolver<Array<ResolversTypes['AuditEventEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['AuditEvent']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type AuditEventEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AuditEventEdge'] = ResolversParentTypes['AuditEventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['AuditEvent'], ParentType, ContextType>;
};

export type SigningKeyResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SigningKey'] = ResolversParentTypes['SigningKey']> = {
  kid?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  signsFrom?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type InvitationConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['InvitationConnection'] = ResolversParentTypes['InvitationConnection']> = {
  edges?: Resolver<Array<ResolversTypes['InvitationEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Invitation']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type InvitationEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['InvitationEdge'] = ResolversParentTypes['InvitationEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Invitation'], ParentType, ContextType>;
};

export type UserConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['UserConnection'] = ResolversParentTypes['UserConnection']> = {
  edges?: Resolver<Array<ResolversTypes['UserEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['User']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type UserEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['UserEdge'] = ResolversParentTypes['UserEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = Context> = {
  DateTime?: GraphQLScalarType;
  JSON?: GraphQLScalarType;
  Upload?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  UserBody?: UserBodyResolvers<ContextType>;
  TrainingGoals?: TrainingGoalsResolvers<ContextType>;
  Invitation?: InvitationResolvers<ContextType>;
  Session?: SessionResolvers<ContextType>;
  AuthPayload?: AuthPayloadResolvers<ContextType>;
  AccountExport?: AccountExportResolvers<ContextType>;
  AccountExportPart?: AccountExportPartResolvers<ContextType>;
  AccountDeletion?: AccountDeletionResolvers<ContextType>;
  AccountPart?: AccountPartResolvers<ContextType>;
  AuditEvent?: AuditEventResolvers<ContextType>;
  AuditEventConnection?: AuditEventConnectionResolvers<ContextType>;
  AuditEventEdge?: AuditEventEdgeResolvers<ContextType>;
  SigningKey?: SigningKeyResolvers<ContextType>;
  InvitationConnection?: InvitationConnectionResolvers<ContextType>;
  InvitationEdge?: InvitationEdgeResolvers<ContextType>;
  UserConnection?: UserConnectionResolvers<ContextType>;
  UserEdge?: UserEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = Context> = {
  sameForGym?: SameForGymDirectiveResolver<any, any, ContextType>;
};
