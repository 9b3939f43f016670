// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Gym as GymModel, GymConfig as GymConfigModel, Location as LocationModel } from './models.ts';
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
  /** Any JSON value; each field that has it describes the shape. */
  JSON: { input: unknown; output: unknown; }
  _FieldSet: { input: unknown; output: unknown; }
};

export type Query = {
  __typename?: 'Query';
  /** A gym by its id or its slug; null where there is none. */
  gym: Maybe<Gym>;
  /** Every gym of the platform, by name. */
  gyms: Array<Gym>;
  /** The branding and feature switches of a gym, by the gym's id or slug; null where there is no such gym. */
  gymConfig: Maybe<GymConfig>;
  /** The locations of your gym, by name. A SUPER_ADMIN names any gym by `gymId`. */
  locations: Array<Location>;
};


export type QueryGymArgs = {
  id?: InputMaybe<Scalars['ID']['input']>;
  slug?: InputMaybe<Scalars['String']['input']>;
};


export type QueryGymConfigArgs = {
  gymId: Scalars['ID']['input'];
};


export type QueryLocationsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};

export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Publishes branding and feature switches of a gym at once. For SUPER_ADMIN.
   * A group that is given replaces that group, one that is absent stays.
   * `VERSION_CONFLICT` where `version` is given and not the stored one.
   */
  updateGymConfig: GymConfig;
  /** Adds a location. For the gym's GYM_ADMIN, or a SUPER_ADMIN, who names the gym. */
  createLocation: Location;
  /** Changes a location; what is absent stays. For the gym's GYM_ADMIN, or a SUPER_ADMIN. */
  updateLocation: Location;
};


export type MutationUpdateGymConfigArgs = {
  input: UpdateGymConfigInput;
};


export type MutationCreateLocationArgs = {
  input: CreateLocationInput;
};


export type MutationUpdateLocationArgs = {
  input: UpdateLocationInput;
};

/** A white-labelled gym. */
export type Gym = {
  __typename?: 'Gym';
  id: Scalars['ID']['output'];
  /** Short name for addresses: lower-case letters, digits and hyphens; unique. */
  slug: Scalars['String']['output'];
  name: Scalars['String']['output'];
  config: GymConfig;
  /** The gym's locations, by name; for its people and SUPER_ADMINs. */
  locations: Maybe<Array<Location>>;
};

/** What makes the gym's own look, and which modules its members have. */
export type GymConfig = {
  __typename?: 'GymConfig';
  gymId: Scalars['ID']['output'];
  /** `{colors: {primary, ...}, typography, spacing}`. Colours are `#rgb`, `#rrggbb` or `#rrggbbaa`; unknown keys are kept. */
  theme: Scalars['JSON']['output'];
  /** URLs by use: `{logo, splash, icon, ...}`; unknown keys are kept. */
  assets: Scalars['JSON']['output'];
  /** Modules by name, `{nutrition: true, ...}`; one that is not named is on. */
  features: Scalars['JSON']['output'];
  /** Counts up at every change. */
  version: Scalars['Int']['output'];
  updatedAt: Scalars['DateTime']['output'];
};

/** A physical place of a gym. */
export type Location = {
  __typename?: 'Location';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  name: Scalars['String']['output'];
  address: Maybe<Scalars['String']['output']>;
  /** IANA time zone, e.g. `Europe/Berlin`. */
  timezone: Scalars['String']['output'];
  /** How many people may be inside at once. */
  capacity: Scalars['Int']['output'];
  /** After so many minutes a visit ends by itself. */
  maxStayMinutes: Scalars['Int']['output'];
  occupancy: Occupancy;
};

/** Members with an open visit at a location, each counted once. */
export type Occupancy = {
  __typename?: 'Occupancy';
  people: Scalars['Int']['output'];
  capacity: Scalars['Int']['output'];
  /** `people` of `capacity` in percent, rounded. */
  percent: Scalars['Int']['output'];
  level: OccupancyLevel;
  updatedAt: Scalars['DateTime']['output'];
};

export type OccupancyLevel =
  /** Below 80 percent. */
  | 'OK'
  /** From 80 percent. */
  | 'BUSY'
  /** Nobody more is let in. */
  | 'FULL';

export type UpdateGymConfigInput = {
  gymId: Scalars['ID']['input'];
  theme?: InputMaybe<Scalars['JSON']['input']>;
  assets?: InputMaybe<Scalars['JSON']['input']>;
  features?: InputMaybe<Scalars['JSON']['input']>;
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type CreateLocationInput = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  name: Scalars['String']['input'];
  address?: InputMaybe<Scalars['String']['input']>;
  timezone: Scalars['String']['input'];
  capacity: Scalars['Int']['input'];
  maxStayMinutes?: InputMaybe<Scalars['Int']['input']>;
};

export type UpdateLocationInput = {
  id: Scalars['ID']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  address?: InputMaybe<Scalars['String']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
  capacity?: InputMaybe<Scalars['Int']['input']>;
  maxStayMinutes?: InputMaybe<Scalars['Int']['input']>;
};

export type User = {
  __typename?: 'User';
  id: Scalars['ID']['output'];
  gymId: Maybe<Scalars['ID']['output']>;
  /** The gym that the user belongs to; null where there is none, or where you may not see it. */
  gym: Maybe<Gym>;
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
  Gym: Gym;
  Location: Location;
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Gym:
    ( { __typename: 'Gym' }
    & ( GraphQLRecursivePick<FederationTypes['Gym'], {"id":true}>
        | GraphQLRecursivePick<FederationTypes['Gym'], {"slug":true}> ) );
  Location:
    ( { __typename: 'Location' }
    & GraphQLRecursivePick<FederationTypes['Location'], {"id":true}> );
  User:
    ( { __typename: 'User' }
    & GraphQLRecursivePick<FederationTypes['User'], {"id":true}>
    & ( Record<PropertyKey, never>
        | GraphQLRecursivePick<FederationTypes['User'], {"gymId":true}> ) );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Gym: ResolverTypeWrapper<GymModel>;
  GymConfig: ResolverTypeWrapper<GymConfigModel>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Location: ResolverTypeWrapper<LocationModel>;
  Occupancy: ResolverTypeWrapper<Occupancy>;
  OccupancyLevel: OccupancyLevel;
  UpdateGymConfigInput: UpdateGymConfigInput;
  CreateLocationInput: CreateLocationInput;
  UpdateLocationInput: UpdateLocationInput;
  User: ResolverTypeWrapper<Omit<User, 'gym'> & { gym?: Maybe<ResolversTypes['Gym']> }>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  JSON: Scalars['JSON']['output'];
  Query: Record<PropertyKey, never>;
  ID: Scalars['ID']['output'];
  String: Scalars['String']['output'];
  Mutation: Record<PropertyKey, never>;
  Gym: GymModel;
  GymConfig: GymConfigModel;
  Int: Scalars['Int']['output'];
  Location: LocationModel;
  Occupancy: Occupancy;
  UpdateGymConfigInput: UpdateGymConfigInput;
  CreateLocationInput: CreateLocationInput;
  UpdateLocationInput: UpdateLocationInput;
  User: Omit<User, 'gym'> & { gym?: Maybe<ResolversParentTypes['Gym']> } | FederationReferenceTypes['User'];
  Boolean: Scalars['Boolean']['output'];
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  gym?: Resolver<Maybe<ResolversTypes['Gym']>, ParentType, ContextType, Partial<QueryGymArgs>>;
  gyms?: Resolver<Array<ResolversTypes['Gym']>, ParentType, ContextType>;
  gymConfig?: Resolver<Maybe<ResolversTypes['GymConfig']>, ParentType, ContextType, RequireFields<QueryGymConfigArgs, 'gymId'>>;
  locations?: Resolver<Array<ResolversTypes['Location']>, ParentType, ContextType, Partial<QueryLocationsArgs>>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  updateGymConfig?: Resolver<ResolversTypes['GymConfig'], ParentType, ContextType, RequireFields<MutationUpdateGymConfigArgs, 'input'>>;
  createLocation?: Resolver<ResolversTypes['Location'], ParentType, ContextType, RequireFields<MutationCreateLocationArgs, 'input'>>;
  updateLocation?: Resolver<ResolversTypes['Location'], ParentType, ContextType, RequireFields<MutationUpdateLocationArgs, 'input'>>;
};

export type GymResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Gym'] = ResolversParentTypes['Gym'], FederationReferenceType extends FederationReferenceTypes['Gym'] = FederationReferenceTypes['Gym']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Gym']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  slug?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  config?: Resolver<ResolversTypes['GymConfig'], ParentType, ContextType>;
  locations?: Resolver<Maybe<Array<ResolversTypes['Location']>>, ParentType, ContextType>;
};

export type GymConfigResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GymConfig'] = ResolversParentTypes['GymConfig']> = {
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  theme?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  assets?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  features?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type LocationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Location'] = ResolversParentTypes['Location'], FederationReferenceType extends FederationReferenceTypes['Location'] = FederationReferenceTypes['Location']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Location']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  timezone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  capacity?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxStayMinutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  occupancy?: Resolver<ResolversTypes['Occupancy'], ParentType, ContextType>;
};

export type OccupancyResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Occupancy'] = ResolversParentTypes['Occupancy']> = {
  people?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  capacity?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  percent?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  level?: Resolver<ResolversTypes['OccupancyLevel'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type UserResolvers<ContextType = Context, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User'], FederationReferenceType extends FederationReferenceTypes['User'] = FederationReferenceTypes['User']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['User']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gym?: Resolver<Maybe<ResolversTypes['Gym']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = Context> = {
  DateTime?: GraphQLScalarType;
  JSON?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Gym?: GymResolvers<ContextType>;
  GymConfig?: GymConfigResolvers<ContextType>;
  Location?: LocationResolvers<ContextType>;
  Occupancy?: OccupancyResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
};
