// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Availability as AvailabilityModel, FirstVisit as FirstVisitModel, User as UserModel, WizardDeployment as WizardDeploymentModel, WizardDeploymentAction as WizardDeploymentActionModel, WizardSession as WizardSessionModel } from './models.ts';
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
  /** One of your wizard sessions; null if there is none. A session that was created without an account is opened with its `resumeToken`. */
  wizardSession: Maybe<WizardSession>;
  /** Your wizard sessions, newest first; a SUPER_ADMIN sees all sessions. */
  wizardSessions: Maybe<WizardSessionConnection>;
  /**
   * First visits of new members, the earliest first: of your gym for its GYM_ADMIN, of `gymId` for a SUPER_ADMIN. `from` and
   * `to` are times (`to` is exclusive), or days at the location (both inclusive). Default: the next week; at most 92 days.
   */
  firstVisits: Maybe<Array<FirstVisit>>;
  /**
   * Whether a value is available. `resource`: `gym-name`, `gym-slug`, `email` or `slot`. The value of a slot is
   * `<locationId>@<start>`, e.g. `0190...@2027-01-31T18:00:00Z`: the half hour that contains the start, with as many places as
   * the location's capacity, at most 90 days ahead. `reserve` reserves an available value for the session for 15 minutes. A
   * session can reserve one value of each resource, and a member one slot.
   */
  checkAvailability: Maybe<Availability>;
};


export type QueryWizardSessionArgs = {
  id: Scalars['ID']['input'];
  resumeToken?: InputMaybe<Scalars['String']['input']>;
};


export type QueryWizardSessionsArgs = {
  status?: InputMaybe<WizardStatus>;
  kind?: InputMaybe<WizardKind>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryFirstVisitsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  from?: InputMaybe<Scalars['String']['input']>;
  to?: InputMaybe<Scalars['String']['input']>;
};


export type QueryCheckAvailabilityArgs = {
  resource: Scalars['String']['input'];
  value: Scalars['String']['input'];
  reserve?: InputMaybe<Scalars['Boolean']['input']>;
  sessionId?: InputMaybe<Scalars['ID']['input']>;
  resumeToken?: InputMaybe<Scalars['String']['input']>;
};

export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Begins a wizard session. MEMBER_ONBOARDING needs no account: without one the answer contains the `resumeToken`, which is
   * then the only way to open the session again. GYM_SETUP is for GYM_ADMIN and SUPER_ADMIN.
   */
  createWizardSession: Maybe<WizardSession>;
  /**
   * Saves a step or a part of it, and moves to another step. Incomplete or invalid data is saved, too, and reported in the
   * step's `errors` and `currentlyDue`; the session does not move past that step. `VERSION_CONFLICT` if `version` is given and is not the stored one.
   */
  updateWizardSession: Maybe<WizardSession>;
  /**
   * Uploads a file into a step: pictures (JPEG, PNG, WebP or AVIF, which are encoded again) and documents (also PDF) of at most
   * 10 MiB. The file's URL is then in the step's data.
   */
  uploadWizardFile: Maybe<WizardSession>;
  /** Claims a session that was created without an account, once: from then on its resume token is no longer valid. */
  claimWizardSession: Maybe<WizardSession>;
  /** Cancels a session that is not deployed: its reservations are released, its files are removed. A repeated call changes nothing. */
  cancelWizardSession: Maybe<WizardSession>;
  /**
   * Deploys a completed session, only once: a GYM_SETUP by a SUPER_ADMIN, a MEMBER_ONBOARDING by its owner.
   * `WIZARD_INCOMPLETE` names what is missing. `wizardDeploymentUpdated` reports the progress.
   */
  deployWizardSession: Maybe<WizardSession>;
  /**
   * Decides about a deployment that could not be undone (UNDO_FAILED): RETRY tries again to undo what is left; ACCEPT leaves
   * it, releases the names and lets the session be corrected, deployed again or cancelled. For SUPER_ADMIN.
   */
  resolveDeployment: Maybe<WizardSession>;
};


export type MutationCreateWizardSessionArgs = {
  input: CreateWizardSessionInput;
};


export type MutationUpdateWizardSessionArgs = {
  input: UpdateWizardSessionInput;
};


export type MutationUploadWizardFileArgs = {
  input: UploadWizardFileInput;
};


export type MutationClaimWizardSessionArgs = {
  input: ClaimWizardSessionInput;
};


export type MutationCancelWizardSessionArgs = {
  input: CancelWizardSessionInput;
};


export type MutationDeployWizardSessionArgs = {
  input: DeployWizardSessionInput;
};


export type MutationResolveDeploymentArgs = {
  input: ResolveDeploymentInput;
};

export type Subscription = {
  __typename?: 'Subscription';
  /** The session, now and at every change of it and of its deployment. */
  wizardDeploymentUpdated: Maybe<WizardSession>;
};


export type SubscriptionWizardDeploymentUpdatedArgs = {
  sessionId: Scalars['ID']['input'];
};

export type WizardKind =
  /** A new gym: name, branding, locations, features, first admin. */
  | 'GYM_SETUP'
  /** A new member: profile, body, goals, nutrition target, first visit. */
  | 'MEMBER_ONBOARDING';

export type WizardStatus =
  /** Steps are missing. */
  | 'DRAFT'
  /** Every step is complete; it can be deployed. */
  | 'READY'
  /** Its data is being written to the other services; see `deployment`. */
  | 'DEPLOYING'
  | 'DEPLOYED'
  /**
   * A service refused an action, and everything was undone; the session can be corrected and deployed again. If an action could
   * not be undone (`deployment.status` UNDO_FAILED), a SUPER_ADMIN must resolve that first.
   */
  | 'FAILED'
  | 'CANCELLED'
  /** Past `expiresAt`; it can be read, but not changed. */
  | 'EXPIRED';

export type WizardStepStatus =
  /** Nothing is saved yet. */
  | 'EMPTY'
  /** Some data is saved; `errors` and `currentlyDue` say what is wrong or missing. */
  | 'INCOMPLETE'
  | 'COMPLETE'
  /** An earlier step says that this one does not apply. */
  | 'SKIPPED';

/** One run of a wizard: the data of its steps so far. */
export type WizardSession = {
  __typename?: 'WizardSession';
  id: Scalars['ID']['output'];
  kind: WizardKind;
  status: WizardStatus;
  /** The version of the wizard's definition that applies to the session. */
  definitionVersion: Scalars['Int']['output'];
  /** Key of the current step. */
  currentStep: Scalars['String']['output'];
  steps: Array<WizardStep>;
  /** The files uploaded into its steps. */
  files: Array<WizardFile>;
  /** Increases with every change. */
  version: Scalars['Int']['output'];
  /** The user who created or claimed it; null while it has no account. */
  createdBy: Maybe<Scalars['ID']['output']>;
  /** For MEMBER_ONBOARDING the gym of the owner; for GYM_SETUP the gym, once it is created. */
  gymId: Maybe<Scalars['ID']['output']>;
  expiresAt: Scalars['DateTime']['output'];
  /** The last deployment; null if there was none. */
  deployment: Maybe<WizardDeployment>;
  /** Only in the answer that creates a session without an account. */
  resumeToken: Maybe<Scalars['String']['output']>;
};

export type WizardStep = {
  __typename?: 'WizardStep';
  key: Scalars['String']['output'];
  title: Scalars['String']['output'];
  status: WizardStepStatus;
  /** The saved data of the step: an object whose keys depend on the step. */
  data: Scalars['JSON']['output'];
  /** Invalid fields. */
  errors: Array<WizardFieldError>;
  /** Dotted paths of the missing fields. */
  currentlyDue: Array<Scalars['String']['output']>;
};

/** A picture or a document that belongs to a step. */
export type WizardFile = {
  __typename?: 'WizardFile';
  id: Scalars['ID']['output'];
  step: Scalars['String']['output'];
  field: Scalars['String']['output'];
  filename: Scalars['String']['output'];
  /** `image/webp` or `application/pdf`. */
  contentType: Scalars['String']['output'];
  bytes: Scalars['Int']['output'];
  uploadedAt: Scalars['DateTime']['output'];
  /** The URL of the file: for callers who may open the session; pictures of a deployed gym are public. */
  url: Scalars['String']['output'];
};

/**
 * The writes of a session's data to the other services: either all of them are completed, or all of them are undone. If an
 * action cannot be undone, the deployment waits for a SUPER_ADMIN.
 */
export type WizardDeployment = {
  __typename?: 'WizardDeployment';
  status: WizardDeploymentStatus;
  startedAt: Scalars['DateTime']['output'];
  finishedAt: Maybe<Scalars['DateTime']['output']>;
  /** In the order in which they run. */
  actions: Array<WizardDeploymentAction>;
  /** Once DONE: the ids of the created objects, `{gymId, slug, locationIds, adminId}` or `{userId, slot: {locationId, startsAt}}`. */
  result: Maybe<Scalars['JSON']['output']>;
  /** The last decision about a deployment that could not be undone; null if there is none. */
  resolution: Maybe<WizardResolution>;
};

export type WizardDeploymentStatus =
  | 'RUNNING'
  /** An action was refused; the completed ones are being undone. */
  | 'UNDOING'
  | 'DONE'
  | 'UNDONE'
  /** An action could not be undone; the deployment waits until a SUPER_ADMIN resolves it (`resolveDeployment`). */
  | 'UNDO_FAILED';

/** The decision of a SUPER_ADMIN about a deployment that could not be undone. */
export type WizardResolution = {
  __typename?: 'WizardResolution';
  action: WizardResolutionAction;
  note: Scalars['String']['output'];
  /** The SUPER_ADMIN who decided; null once their account is deleted. */
  by: Maybe<Scalars['ID']['output']>;
  at: Scalars['DateTime']['output'];
};

export type WizardResolutionAction =
  /** Undoing is tried again. */
  | 'RETRY'
  /** What is left stays, and the deployment counts as UNDONE. */
  | 'ACCEPT';

export type WizardDeploymentAction = {
  __typename?: 'WizardDeploymentAction';
  name: Scalars['String']['output'];
  /** The service that it calls. */
  service: Scalars['String']['output'];
  status: WizardActionStatus;
  attempts: Scalars['Int']['output'];
  /** Why the last attempt failed; for an action that was done, why it could not be undone. */
  error: Maybe<WizardActionError>;
  /** Why the last attempt to undo it failed. */
  undoError: Maybe<WizardActionError>;
  /** The result of the action, an object whose keys depend on the action; null if there is none. */
  result: Maybe<Scalars['JSON']['output']>;
};

export type WizardActionStatus =
  | 'PENDING'
  | 'DONE'
  /** Refused by its service. */
  | 'FAILED'
  /** It was done, or may have been done, and was undone. */
  | 'UNDONE';

export type WizardActionError = {
  __typename?: 'WizardActionError';
  /** A code of the platform's table of errors. */
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

/** The first visit of a new member to a gym. */
export type FirstVisit = {
  __typename?: 'FirstVisit';
  /** The id of the wizard session. */
  id: Scalars['ID']['output'];
  /** Null once their account is deleted. */
  user: Maybe<User>;
  userId: Scalars['ID']['output'];
  locationId: Scalars['ID']['output'];
  startsAt: Scalars['DateTime']['output'];
  endsAt: Scalars['DateTime']['output'];
};

/** Whether a value of a resource is available. */
export type Availability = {
  __typename?: 'Availability';
  resource: Scalars['String']['output'];
  value: Scalars['String']['output'];
  available: Scalars['Boolean']['output'];
  /**
   * If it is not available: `INVALID` (breaks a rule), `TAKEN` (belongs to an account or a gym), `RESERVED` (by another session,
   * for a limited time); for a slot also `FULL`, `CLOSED`, `PAST`, `TOO_FAR` (more than 90 days ahead), `BOOKED` (the member has
   * another first visit), `UNKNOWN_LOCATION`.
   */
  reason: Maybe<Scalars['String']['output']>;
  /** Similar values that are available; at most three. */
  suggestions: Array<Scalars['String']['output']>;
  /** If it is now reserved for the session: until when. */
  reservedUntil: Maybe<Scalars['DateTime']['output']>;
};

export type WizardFieldError = {
  __typename?: 'WizardFieldError';
  /** Dotted, e.g. `locations.0.capacity`. */
  path: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type WizardSessionConnection = {
  __typename?: 'WizardSessionConnection';
  edges: Array<WizardSessionEdge>;
  nodes: Array<WizardSession>;
  pageInfo: PageInfo;
};

export type WizardSessionEdge = {
  __typename?: 'WizardSessionEdge';
  cursor: Scalars['String']['output'];
  node: WizardSession;
};

/** The position of a page in its connection. */
export type PageInfo = {
  __typename?: 'PageInfo';
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor: Maybe<Scalars['String']['output']>;
  endCursor: Maybe<Scalars['String']['output']>;
};

export type CreateWizardSessionInput = {
  kind: WizardKind;
};

export type UpdateWizardSessionInput = {
  id: Scalars['ID']['input'];
  resumeToken?: InputMaybe<Scalars['String']['input']>;
  /** Key of the step to which `data` belongs; absent: the current step. */
  step?: InputMaybe<Scalars['String']['input']>;
  /** An object; its keys are merged into the saved data of the step, null removes a key. */
  data?: InputMaybe<Scalars['JSON']['input']>;
  /** Key of the step to move to; absent: the next step if `data` completes the current one. */
  currentStep?: InputMaybe<Scalars['String']['input']>;
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type UploadWizardFileInput = {
  id: Scalars['ID']['input'];
  resumeToken?: InputMaybe<Scalars['String']['input']>;
  step: Scalars['String']['input'];
  /** A file field of the step: `logo`, `splash` or `icon` of `branding`, `document` of basics, branding, locations, body and review. */
  field: Scalars['String']['input'];
  file: Scalars['Upload']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type ClaimWizardSessionInput = {
  id: Scalars['ID']['input'];
  resumeToken: Scalars['String']['input'];
};

export type CancelWizardSessionInput = {
  id: Scalars['ID']['input'];
  resumeToken?: InputMaybe<Scalars['String']['input']>;
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type DeployWizardSessionInput = {
  id: Scalars['ID']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type ResolveDeploymentInput = {
  /** The id of the wizard session. */
  id: Scalars['ID']['input'];
  action: WizardResolutionAction;
  /** The reason, for later readers; at most 1,000 characters. */
  note: Scalars['String']['input'];
};

export type User = {
  __typename?: 'User';
  id: Scalars['ID']['output'];
  /** The user's wizard sessions, newest first; for the user themselves and SUPER_ADMINs. */
  wizardSessions: Maybe<WizardSessionConnection>;
};


export type UserWizardSessionsArgs = {
  status?: InputMaybe<WizardStatus>;
  kind?: InputMaybe<WizardKind>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
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
  WizardSession: WizardSession;
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  WizardSession:
    ( { __typename: 'WizardSession' }
    & GraphQLRecursivePick<FederationTypes['WizardSession'], {"id":true}> );
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
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  WizardKind: WizardKind;
  WizardStatus: WizardStatus;
  WizardStepStatus: WizardStepStatus;
  WizardSession: ResolverTypeWrapper<WizardSessionModel>;
  WizardStep: ResolverTypeWrapper<WizardStep>;
  WizardFile: ResolverTypeWrapper<WizardFile>;
  WizardDeployment: ResolverTypeWrapper<WizardDeploymentModel>;
  WizardDeploymentStatus: WizardDeploymentStatus;
  WizardResolution: ResolverTypeWrapper<WizardResolution>;
  WizardResolutionAction: WizardResolutionAction;
  WizardDeploymentAction: ResolverTypeWrapper<WizardDeploymentActionModel>;
  WizardActionStatus: WizardActionStatus;
  WizardActionError: ResolverTypeWrapper<WizardActionError>;
  FirstVisit: ResolverTypeWrapper<FirstVisitModel>;
  Availability: ResolverTypeWrapper<AvailabilityModel>;
  WizardFieldError: ResolverTypeWrapper<WizardFieldError>;
  WizardSessionConnection: ResolverTypeWrapper<Omit<WizardSessionConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['WizardSessionEdge']>, nodes: Array<ResolversTypes['WizardSession']> }>;
  WizardSessionEdge: ResolverTypeWrapper<Omit<WizardSessionEdge, 'node'> & { node: ResolversTypes['WizardSession'] }>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  CreateWizardSessionInput: CreateWizardSessionInput;
  UpdateWizardSessionInput: UpdateWizardSessionInput;
  UploadWizardFileInput: UploadWizardFileInput;
  ClaimWizardSessionInput: ClaimWizardSessionInput;
  CancelWizardSessionInput: CancelWizardSessionInput;
  DeployWizardSessionInput: DeployWizardSessionInput;
  ResolveDeploymentInput: ResolveDeploymentInput;
  User: ResolverTypeWrapper<UserModel>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  JSON: Scalars['JSON']['output'];
  Upload: Scalars['Upload']['output'];
  Query: Record<PropertyKey, never>;
  ID: Scalars['ID']['output'];
  String: Scalars['String']['output'];
  Int: Scalars['Int']['output'];
  Boolean: Scalars['Boolean']['output'];
  Mutation: Record<PropertyKey, never>;
  Subscription: Record<PropertyKey, never>;
  WizardSession: WizardSessionModel;
  WizardStep: WizardStep;
  WizardFile: WizardFile;
  WizardDeployment: WizardDeploymentModel;
  WizardResolution: WizardResolution;
  WizardDeploymentAction: WizardDeploymentActionModel;
  WizardActionError: WizardActionError;
  FirstVisit: FirstVisitModel;
  Availability: AvailabilityModel;
  WizardFieldError: WizardFieldError;
  WizardSessionConnection: Omit<WizardSessionConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['WizardSessionEdge']>, nodes: Array<ResolversParentTypes['WizardSession']> };
  WizardSessionEdge: Omit<WizardSessionEdge, 'node'> & { node: ResolversParentTypes['WizardSession'] };
  PageInfo: PageInfo;
  CreateWizardSessionInput: CreateWizardSessionInput;
  UpdateWizardSessionInput: UpdateWizardSessionInput;
  UploadWizardFileInput: UploadWizardFileInput;
  ClaimWizardSessionInput: ClaimWizardSessionInput;
  CancelWizardSessionInput: CancelWizardSessionInput;
  DeployWizardSessionInput: DeployWizardSessionInput;
  ResolveDeploymentInput: ResolveDeploymentInput;
  User: UserModel;
};

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
  wizardSession?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<QueryWizardSessionArgs, 'id'>>;
  wizardSessions?: Resolver<Maybe<ResolversTypes['WizardSessionConnection']>, ParentType, ContextType, Partial<QueryWizardSessionsArgs>>;
  firstVisits?: Resolver<Maybe<Array<ResolversTypes['FirstVisit']>>, ParentType, ContextType, Partial<QueryFirstVisitsArgs>>;
  checkAvailability?: Resolver<Maybe<ResolversTypes['Availability']>, ParentType, ContextType, RequireFields<QueryCheckAvailabilityArgs, 'resource' | 'value'>>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createWizardSession?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<MutationCreateWizardSessionArgs, 'input'>>;
  updateWizardSession?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<MutationUpdateWizardSessionArgs, 'input'>>;
  uploadWizardFile?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<MutationUploadWizardFileArgs, 'input'>>;
  claimWizardSession?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<MutationClaimWizardSessionArgs, 'input'>>;
  cancelWizardSession?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<MutationCancelWizardSessionArgs, 'input'>>;
  deployWizardSession?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<MutationDeployWizardSessionArgs, 'input'>>;
  resolveDeployment?: Resolver<Maybe<ResolversTypes['WizardSession']>, ParentType, ContextType, RequireFields<MutationResolveDeploymentArgs, 'input'>>;
};

export type SubscriptionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  wizardDeploymentUpdated?: SubscriptionResolver<Maybe<ResolversTypes['WizardSession']>, "wizardDeploymentUpdated", ParentType, ContextType, RequireFields<SubscriptionWizardDeploymentUpdatedArgs, 'sessionId'>>;
};

export type WizardSessionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardSession'] = ResolversParentTypes['WizardSession'], FederationReferenceType extends FederationReferenceTypes['WizardSession'] = FederationReferenceTypes['WizardSession']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['WizardSession']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['WizardKind'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['WizardStatus'], ParentType, ContextType>;
  definitionVersion?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  currentStep?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  steps?: Resolver<Array<ResolversTypes['WizardStep']>, ParentType, ContextType>;
  files?: Resolver<Array<ResolversTypes['WizardFile']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  createdBy?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  gymId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  deployment?: Resolver<Maybe<ResolversTypes['WizardDeployment']>, ParentType, ContextType>;
  resumeToken?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type WizardStepResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardStep'] = ResolversParentTypes['WizardStep']> = {
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['WizardStepStatus'], ParentType, ContextType>;
  data?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  errors?: Resolver<Array<ResolversTypes['WizardFieldError']>, ParentType, ContextType>;
  currentlyDue?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
};

export type WizardFileResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardFile'] = ResolversParentTypes['WizardFile']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  step?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  filename?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  contentType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  bytes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  uploadedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  url?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type WizardDeploymentResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardDeployment'] = ResolversParentTypes['WizardDeployment']> = {
  status?: Resolver<ResolversTypes['WizardDeploymentStatus'], ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  actions?: Resolver<Array<ResolversTypes['WizardDeploymentAction']>, ParentType, ContextType>;
  result?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  resolution?: Resolver<Maybe<ResolversTypes['WizardResolution']>, ParentType, ContextType>;
};

export type WizardResolutionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardResolution'] = ResolversParentTypes['WizardResolution']> = {
  action?: Resolver<ResolversTypes['WizardResolutionAction'], ParentType, ContextType>;
  note?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  by?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type WizardDeploymentActionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardDeploymentAction'] = ResolversParentTypes['WizardDeploymentAction']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  service?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['WizardActionStatus'], ParentType, ContextType>;
  attempts?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['WizardActionError']>, ParentType, ContextType>;
  undoError?: Resolver<Maybe<ResolversTypes['WizardActionError']>, ParentType, ContextType>;
  result?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
};

export type WizardActionErrorResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardActionError'] = ResolversParentTypes['WizardActionError']> = {
  code?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type FirstVisitResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FirstVisit'] = ResolversParentTypes['FirstVisit']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  userId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  locationId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  startsAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endsAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type AvailabilityResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Availability'] = ResolversParentTypes['Availability']> = {
  resource?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  available?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  suggestions?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  reservedUntil?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type WizardFieldErrorResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardFieldError'] = ResolversParentTypes['WizardFieldError']> = {
  path?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type WizardSessionConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardSessionConnection'] = ResolversParentTypes['WizardSessionConnection']> = {
  edges?: Resolver<Array<ResolversTypes['WizardSessionEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['WizardSession']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type WizardSessionEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WizardSessionEdge'] = ResolversParentTypes['WizardSessionEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['WizardSession'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type UserResolvers<ContextType = Context, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User'], FederationReferenceType extends FederationReferenceTypes['User'] = FederationReferenceTypes['User']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['User']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  wizardSessions?: Resolver<Maybe<ResolversTypes['WizardSessionConnection']>, ParentType, ContextType, Partial<UserWizardSessionsArgs>>;
};

export type Resolvers<ContextType = Context> = {
  DateTime?: GraphQLScalarType;
  JSON?: GraphQLScalarType;
  Upload?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  WizardSession?: WizardSessionResolvers<ContextType>;
  WizardStep?: WizardStepResolvers<ContextType>;
  WizardFile?: WizardFileResolvers<ContextType>;
  WizardDeployment?: WizardDeploymentResolvers<ContextType>;
  WizardResolution?: WizardResolutionResolvers<ContextType>;
  WizardDeploymentAction?: WizardDeploymentActionResolvers<ContextType>;
  WizardActionError?: WizardActionErrorResolvers<ContextType>;
  FirstVisit?: FirstVisitResolvers<ContextType>;
  Availability?: AvailabilityResolvers<ContextType>;
  WizardFieldError?: WizardFieldErrorResolvers<ContextType>;
  WizardSessionConnection?: WizardSessionConnectionResolvers<ContextType>;
  WizardSessionEdge?: WizardSessionEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
};
