// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Group as GroupModel, OnlineUser as OnlineUserModel, SquadWorkout as SquadWorkoutModel, User as UserModel } from './models.ts';
import type { Context } from './services.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** ISO 8601 in UTC, e.g. `2026-01-31T18:00:00.000Z`. */
  DateTime: { input: string; output: string; }
  _FieldSet: { input: unknown; output: unknown; }
};

export type Query = {
  __typename?: 'Query';
  /**
   * Who of your gym is online now, each since when, the longest first; without those who are invisible or blocked.
   * A SUPER_ADMIN names any gym by `gymId`.
   */
  onlineUsers: Array<OnlineUser>;
  /** The clubs of your gym, by name. A SUPER_ADMIN names any gym by `gymId`. */
  groups: Array<Group>;
};


export type QueryOnlineUsersArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};


export type QueryGroupsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};

export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Announces your presence to your gym. You stay online as long as a socket or a subscription of yours is open,
   * and 30 seconds beyond the last.
   */
  goOnline: Presence;
};


export type MutationGoOnlineArgs = {
  input?: InputMaybe<GoOnlineInput>;
};

/** What others see of a user's presence. */
export type PresenceStatus =
  /** Ready to train with others. */
  | 'AVAILABLE'
  /** Online, and busy with a workout. */
  | 'WORKING_OUT'
  /** Online, but shown to nobody else. */
  | 'INVISIBLE';

/** A member who is online. */
export type OnlineUser = {
  __typename?: 'OnlineUser';
  user: User;
  status: PresenceStatus;
  /** What she is doing, in her own words. */
  activity: Maybe<Scalars['String']['output']>;
  /** When she came online. */
  since: Scalars['DateTime']['output'];
};

/** Whether a user is online, as far as you may see it. */
export type Presence = {
  __typename?: 'Presence';
  online: Scalars['Boolean']['output'];
  /** Null while offline. */
  status: Maybe<PresenceStatus>;
  activity: Maybe<Scalars['String']['output']>;
  /** When she came online; null while offline. */
  since: Maybe<Scalars['DateTime']['output']>;
};

export type GoOnlineInput = {
  /** `AVAILABLE` where absent. */
  status?: InputMaybe<PresenceStatus>;
  /** What you are doing, in your own words; at most 140 characters. */
  activity?: InputMaybe<Scalars['String']['input']>;
};

/** A club of a gym: it lasts, whoever trains. */
export type Group = {
  __typename?: 'Group';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  name: Scalars['String']['output'];
  createdBy: User;
  memberCount: Scalars['Int']['output'];
  /** Whether you are a member. */
  joined: Scalars['Boolean']['output'];
  members: Array<User>;
  createdAt: Scalars['DateTime']['output'];
};

/** A workout that a squad did together. */
export type SquadWorkout = {
  __typename?: 'SquadWorkout';
  squadId: Scalars['ID']['output'];
  routineId: Maybe<Scalars['ID']['output']>;
  startedAt: Scalars['DateTime']['output'];
  endedAt: Scalars['DateTime']['output'];
  /** Minutes of training, pauses left out. */
  minutes: Scalars['Int']['output'];
  /** Sets that the user did. */
  sets: Scalars['Int']['output'];
  /** Everybody who took part, the user included. */
  participants: Array<User>;
};

/** A page of past squad workouts, newest first. */
export type SquadWorkoutConnection = {
  __typename?: 'SquadWorkoutConnection';
  edges: Array<SquadWorkoutEdge>;
  nodes: Array<SquadWorkout>;
  pageInfo: PageInfo;
};

export type SquadWorkoutEdge = {
  __typename?: 'SquadWorkoutEdge';
  cursor: Scalars['String']['output'];
  node: SquadWorkout;
};

export type PageInfo = {
  __typename?: 'PageInfo';
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor: Maybe<Scalars['String']['output']>;
  endCursor: Maybe<Scalars['String']['output']>;
};

export type User = {
  __typename?: 'User';
  id: Scalars['ID']['output'];
  /** Whether the user is online. To other gyms, and between users of whom one has blocked the other, everybody is offline. */
  presence: Presence;
  /** The user's past squad workouts, newest first; for herself only, null for everybody else. */
  squadHistory: Maybe<SquadWorkoutConnection>;
};


export type UserSquadHistoryArgs = {
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
  Group: Group;
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Group:
    ( { __typename: 'Group' }
    & GraphQLRecursivePick<FederationTypes['Group'], {"id":true}> );
  User:
    ( { __typename: 'User' }
    & GraphQLRecursivePick<FederationTypes['User'], {"id":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  PresenceStatus: PresenceStatus;
  OnlineUser: ResolverTypeWrapper<OnlineUserModel>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Presence: ResolverTypeWrapper<Presence>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  GoOnlineInput: GoOnlineInput;
  Group: ResolverTypeWrapper<GroupModel>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  SquadWorkout: ResolverTypeWrapper<SquadWorkoutModel>;
  SquadWorkoutConnection: ResolverTypeWrapper<Omit<SquadWorkoutConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['SquadWorkoutEdge']>, nodes: Array<ResolversTypes['SquadWorkout']> }>;
  SquadWorkoutEdge: ResolverTypeWrapper<Omit<SquadWorkoutEdge, 'node'> & { node: ResolversTypes['SquadWorkout'] }>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  User: ResolverTypeWrapper<UserModel>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  Query: Record<PropertyKey, never>;
  ID: Scalars['ID']['output'];
  Mutation: Record<PropertyKey, never>;
  OnlineUser: OnlineUserModel;
  String: Scalars['String']['output'];
  Presence: Presence;
  Boolean: Scalars['Boolean']['output'];
  GoOnlineInput: GoOnlineInput;
  Group: GroupModel;
  Int: Scalars['Int']['output'];
  SquadWorkout: SquadWorkoutModel;
  SquadWorkoutConnection: Omit<SquadWorkoutConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['SquadWorkoutEdge']>, nodes: Array<ResolversParentTypes['SquadWorkout']> };
  SquadWorkoutEdge: Omit<SquadWorkoutEdge, 'node'> & { node: ResolversParentTypes['SquadWorkout'] };
  PageInfo: PageInfo;
  User: UserModel;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  onlineUsers?: Resolver<Array<ResolversTypes['OnlineUser']>, ParentType, ContextType, Partial<QueryOnlineUsersArgs>>;
  groups?: Resolver<Array<ResolversTypes['Group']>, ParentType, ContextType, Partial<QueryGroupsArgs>>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  goOnline?: Resolver<ResolversTypes['Presence'], ParentType, ContextType, Partial<MutationGoOnlineArgs>>;
};

export type OnlineUserResolvers<ContextType = Context, ParentType extends ResolversParentTypes['OnlineUser'] = ResolversParentTypes['OnlineUser']> = {
  user?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['PresenceStatus'], ParentType, ContextType>;
  activity?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  since?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type PresenceResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Presence'] = ResolversParentTypes['Presence']> = {
  online?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['PresenceStatus']>, ParentType, ContextType>;
  activity?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  since?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type GroupResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Group'] = ResolversParentTypes['Group'], FederationReferenceType extends FederationReferenceTypes['Group'] = FederationReferenceTypes['Group']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Group']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdBy?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  memberCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  joined?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  members?: Resolver<Array<ResolversTypes['User']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type SquadWorkoutResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadWorkout'] = ResolversParentTypes['SquadWorkout']> = {
  squadId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  routineId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  minutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sets?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  participants?: Resolver<Array<ResolversTypes['User']>, ParentType, ContextType>;
};

export type SquadWorkoutConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadWorkoutConnection'] = ResolversParentTypes['SquadWorkoutConnection']> = {
  edges?: Resolver<Array<ResolversTypes['SquadWorkoutEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['SquadWorkout']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type SquadWorkoutEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadWorkoutEdge'] = ResolversParentTypes['SquadWorkoutEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['SquadWorkout'], ParentType, ContextType>;
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
  presence?: Resolver<ResolversTypes['Presence'], ParentType, ContextType>;
  squadHistory?: Resolver<Maybe<ResolversTypes['SquadWorkoutConnection']>, ParentType, ContextType, Partial<UserSquadHistoryArgs>>;
};

export type Resolvers<ContextType = Context> = {
  DateTime?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  OnlineUser?: OnlineUserResolvers<ContextType>;
  Presence?: PresenceResolvers<ContextType>;
  Group?: GroupResolvers<ContextType>;
  SquadWorkout?: SquadWorkoutResolvers<ContextType>;
  SquadWorkoutConnection?: SquadWorkoutConnectionResolvers<ContextType>;
  SquadWorkoutEdge?: SquadWorkoutEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
};
