// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Exercise as ExerciseModel, Product as ProductModel, WorkoutRoutine as WorkoutRoutineModel } from './models.ts';
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

/** Whether an answer is the same for all callers; a private answer is not cached. */
export type CacheControlScope =
  | 'PUBLIC'
  | 'PRIVATE';

export type Query = {
  __typename?: 'Query';
  /** Workout routines, by title; the best match first if there is a search. Global routines and those of your gym. A routine matches all filters; an unknown value gives an empty list. */
  workouts: Maybe<WorkoutRoutineConnection>;
  /** The current version of a routine, or the given one; null if there is none that you may see. */
  workout: Maybe<WorkoutRoutine>;
  /** Routines of a category such as `Strength` or `Cardio`, by title. Upper and lower case do not matter; an unknown category gives an empty list. */
  workoutsByCategory: Maybe<WorkoutRoutineConnection>;
  /** The exercise library and the exercises of your gym, by name; the best match first if there is a search. */
  exercises: Maybe<ExerciseConnection>;
  /** Null if there is none that you may see. */
  exercise: Maybe<Exercise>;
  /** The primary muscles of exercises, by name. */
  muscles: Maybe<Array<Facet>>;
  /** The equipment that exercises need, by name. */
  equipment: Maybe<Array<Facet>>;
  /** The categories of exercises, by name. */
  exerciseCategories: Maybe<Array<Facet>>;
  /** Global products and those of your gym, by name; the best match first if there is a search. */
  products: Maybe<ProductConnection>;
  /** Null if there is none that you may see. */
  product: Maybe<Product>;
  /** Products that are promoted now, the highest priority first. */
  featuredProducts: Maybe<Array<Product>>;
};


export type QueryWorkoutsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  muscle?: InputMaybe<Scalars['String']['input']>;
  difficulty?: InputMaybe<Difficulty>;
  equipment?: InputMaybe<Scalars['String']['input']>;
  category?: InputMaybe<Scalars['String']['input']>;
  exerciseId?: InputMaybe<Scalars['ID']['input']>;
  maxMinutes?: InputMaybe<Scalars['Int']['input']>;
  gymId?: InputMaybe<Scalars['ID']['input']>;
  sort?: InputMaybe<WorkoutSort>;
};


export type QueryWorkoutArgs = {
  id: Scalars['ID']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};


export type QueryWorkoutsByCategoryArgs = {
  category: Scalars['String']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryExercisesArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  muscle?: InputMaybe<Scalars['String']['input']>;
  equipment?: InputMaybe<Scalars['String']['input']>;
  difficulty?: InputMaybe<Difficulty>;
  category?: InputMaybe<Scalars['String']['input']>;
  modality?: InputMaybe<Modality>;
  gymId?: InputMaybe<Scalars['ID']['input']>;
  sort?: InputMaybe<ExerciseSort>;
};


export type QueryExerciseArgs = {
  id: Scalars['ID']['input'];
};


export type QueryProductsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  search?: InputMaybe<Scalars['String']['input']>;
  kind?: InputMaybe<ProductKind>;
  minPrice?: InputMaybe<Scalars['Int']['input']>;
  maxPrice?: InputMaybe<Scalars['Int']['input']>;
  inStock?: InputMaybe<Scalars['Boolean']['input']>;
  gymId?: InputMaybe<Scalars['ID']['input']>;
  sort?: InputMaybe<ProductSort>;
};


export type QueryProductArgs = {
  id: Scalars['ID']['input'];
};


export type QueryFeaturedProductsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};

export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Adds a routine: a GYM_ADMIN to their gym; a SUPER_ADMIN to any gym, or a global one (without `gymId`).
   * `VALIDATION_FAILED` names every set with fields that its exercise's modality does not allow.
   */
  createWorkout: Maybe<WorkoutRoutine>;
  /**
   * Changes a routine; absent fields are unchanged. This makes a new version, and earlier ones stay readable.
   * `VERSION_CONFLICT` if `version` differs from the stored one.
   */
  updateWorkout: Maybe<WorkoutRoutine>;
  /** Deletes a routine. It leaves the lists; its versions stay readable, because past sessions refer to them. */
  deleteWorkout: Maybe<Scalars['Boolean']['output']>;
  /** Adds an exercise: a GYM_ADMIN to their gym; a SUPER_ADMIN to any gym, or to the common library (without `gymId`). */
  createExercise: Maybe<Exercise>;
  /** Changes an exercise; absent fields are unchanged. `VERSION_CONFLICT` if `version` differs from the stored one. */
  updateExercise: Maybe<Exercise>;
  /** Deletes an exercise. It leaves lists and search; routines that use it can still name it. */
  deleteExercise: Maybe<Scalars['Boolean']['output']>;
  /** Adds a product: a GYM_ADMIN to their gym; a SUPER_ADMIN to any gym, or a global one (without `gymId`). `CONFLICT` if the shop already has the SKU. */
  createProduct: Maybe<Product>;
  /** Changes a product; absent fields are unchanged, null empties a field that may be null. `VERSION_CONFLICT` if `version` differs from the stored one. */
  updateProduct: Maybe<Product>;
  /** Deletes a product. */
  deleteProduct: Maybe<Scalars['Boolean']['output']>;
  /** Sets the picture of a routine: JPEG, PNG, WebP or AVIF, at most 10 MiB. It is stored in three sizes. */
  uploadWorkoutImage: Maybe<WorkoutRoutine>;
  /** Sets the picture of an exercise. */
  uploadExerciseImage: Maybe<Exercise>;
  /** Adds a picture to a product, which has at most 20. */
  uploadProductImage: Maybe<Product>;
};


export type MutationCreateWorkoutArgs = {
  input: CreateWorkoutInput;
};


export type MutationUpdateWorkoutArgs = {
  input: UpdateWorkoutInput;
};


export type MutationDeleteWorkoutArgs = {
  input: DeleteContentInput;
};


export type MutationCreateExerciseArgs = {
  input: CreateExerciseInput;
};


export type MutationUpdateExerciseArgs = {
  input: UpdateExerciseInput;
};


export type MutationDeleteExerciseArgs = {
  input: DeleteContentInput;
};


export type MutationCreateProductArgs = {
  input: CreateProductInput;
};


export type MutationUpdateProductArgs = {
  input: UpdateProductInput;
};


export type MutationDeleteProductArgs = {
  input: DeleteContentInput;
};


export type MutationUploadWorkoutImageArgs = {
  input: UploadImageInput;
};


export type MutationUploadExerciseImageArgs = {
  input: UploadImageInput;
};


export type MutationUploadProductImageArgs = {
  input: UploadImageInput;
};

/** A workout that users can repeat. Every change makes a new version; a session keeps the version that it used. */
export type WorkoutRoutine = {
  __typename?: 'WorkoutRoutine';
  id: Scalars['ID']['output'];
  /** The id of this version, `<id>:<version>`. A reference by it stays valid after the routine was changed or deleted. */
  versionId: Scalars['ID']['output'];
  title: Scalars['String']['output'];
  description: Maybe<Scalars['String']['output']>;
  difficulty: Difficulty;
  /** For example `Strength`, `Cardio`. */
  category: Scalars['String']['output'];
  targetMuscles: Array<Scalars['String']['output']>;
  /** The equipment that its exercises need. */
  equipment: Array<Scalars['String']['output']>;
  /**
   * Blocks `[{name?, restSeconds?, entries: [{exerciseId, notes?, sets}]}]`; a block of two or more entries is a superset.
   * A set is `{type: NORMAL|WARMUP|DROP|FAILURE, reps | repRange: {min, max} | durationSeconds | distanceMeters, weightKg? | assistedKg?, rpe?, tempo?, restSeconds?}`;
   * the exercise's `modality` decides which of these fields it may have.
   */
  exercises: Scalars['JSON']['output'];
  /** The exercises of all blocks as they are now, each once, in the order of the blocks. */
  exerciseList: Array<Exercise>;
  /** Path of the picture on the server that answers; at the gateway `/content/media/<file>`. `?size=small|medium|large` chooses a size. Null if there is none. */
  image: Maybe<Scalars['String']['output']>;
  durationMinutes: Scalars['Int']['output'];
  /** The gym that has added the routine for its own users; null: the routine is global: every gym has it. */
  gymId: Maybe<Scalars['ID']['output']>;
  /** Starts at 1 and increases with every change. */
  version: Scalars['Int']['output'];
  /** All versions, the latest first. */
  versions: Array<WorkoutVersion>;
  createdAt: Scalars['DateTime']['output'];
  updatedAt: Scalars['DateTime']['output'];
};

/** One version of a routine, readable by `workout(id, version)`. */
export type WorkoutVersion = {
  __typename?: 'WorkoutVersion';
  version: Scalars['Int']['output'];
  title: Scalars['String']['output'];
  createdAt: Scalars['DateTime']['output'];
};

/** An exercise of the library, or one that a gym added. */
export type Exercise = {
  __typename?: 'Exercise';
  id: Scalars['ID']['output'];
  name: Scalars['String']['output'];
  /** Other names that people use. */
  aliases: Array<Scalars['String']['output']>;
  description: Maybe<Scalars['String']['output']>;
  /** How to do it, step by step; empty if there are no instructions. */
  instructions: Array<Scalars['String']['output']>;
  primaryMuscles: Array<Scalars['String']['output']>;
  secondaryMuscles: Array<Scalars['String']['output']>;
  /** For example `barbell`; `bodyweight` if the body is the load, `none` if nothing is needed. */
  equipment: Scalars['String']['output'];
  level: Difficulty;
  /** `push`, `pull` or `static`. */
  force: Maybe<Scalars['String']['output']>;
  /** `compound` or `isolation`. */
  mechanic: Maybe<Scalars['String']['output']>;
  /** For example `strength`, `cardio`, `stretching`. */
  category: Scalars['String']['output'];
  /** What a set of it counts. */
  modality: Modality;
  /** Path of the picture on the server that answers, as of a routine. */
  image: Maybe<Scalars['String']['output']>;
  /** The gym that has added the exercise; null: it belongs to the common library. */
  gymId: Maybe<Scalars['ID']['output']>;
  version: Scalars['Int']['output'];
};

/** A product that gyms sell. */
export type Product = {
  __typename?: 'Product';
  id: Scalars['ID']['output'];
  /** Unique in its shop. */
  sku: Scalars['String']['output'];
  name: Scalars['String']['output'];
  description: Maybe<Scalars['String']['output']>;
  kind: ProductKind;
  /** In minor units of the currency: 2999 with EUR is 29.99 euros. */
  price: Scalars['Int']['output'];
  /** ISO 4217. */
  currency: Scalars['String']['output'];
  /** URLs, or paths on the server that answers; at the gateway `/content/media/<file>`. */
  images: Array<Scalars['String']['output']>;
  variants: Array<ProductVariant>;
  /** Number of pieces; null: the stock is not counted. If there are variants, only their stock counts. */
  stock: Maybe<Scalars['Int']['output']>;
  /** Whether the product, or one of its variants, is in stock. */
  available: Scalars['Boolean']['output'];
  /** Whether it is promoted now. */
  featured: Scalars['Boolean']['output'];
  /** The highest priority comes first; null: not featured. */
  featuredPriority: Maybe<Scalars['Int']['output']>;
  featuredFrom: Maybe<Scalars['DateTime']['output']>;
  featuredUntil: Maybe<Scalars['DateTime']['output']>;
  /** The only gym that sells it; null: every gym sells it. */
  gymId: Maybe<Scalars['ID']['output']>;
  version: Scalars['Int']['output'];
};

/** One flavour or size of a product. */
export type ProductVariant = {
  __typename?: 'ProductVariant';
  sku: Scalars['String']['output'];
  name: Scalars['String']['output'];
  /** In minor units; null: the price of the product. */
  price: Maybe<Scalars['Int']['output']>;
  /** Null: the stock is not counted. */
  stock: Maybe<Scalars['Int']['output']>;
};

/** A muscle, a piece of equipment or a category, with the number of its exercises that you may see. */
export type Facet = {
  __typename?: 'Facet';
  name: Scalars['String']['output'];
  exercises: Scalars['Int']['output'];
};

export type WorkoutRoutineConnection = {
  __typename?: 'WorkoutRoutineConnection';
  edges: Array<WorkoutRoutineEdge>;
  nodes: Array<WorkoutRoutine>;
  pageInfo: PageInfo;
};

export type WorkoutRoutineEdge = {
  __typename?: 'WorkoutRoutineEdge';
  cursor: Scalars['String']['output'];
  node: WorkoutRoutine;
};

export type ExerciseConnection = {
  __typename?: 'ExerciseConnection';
  edges: Array<ExerciseEdge>;
  nodes: Array<Exercise>;
  pageInfo: PageInfo;
};

export type ExerciseEdge = {
  __typename?: 'ExerciseEdge';
  cursor: Scalars['String']['output'];
  node: Exercise;
};

export type ProductConnection = {
  __typename?: 'ProductConnection';
  edges: Array<ProductEdge>;
  nodes: Array<Product>;
  pageInfo: PageInfo;
};

export type ProductEdge = {
  __typename?: 'ProductEdge';
  cursor: Scalars['String']['output'];
  node: Product;
};

/** The position of a page in its connection. */
export type PageInfo = {
  __typename?: 'PageInfo';
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor: Maybe<Scalars['String']['output']>;
  endCursor: Maybe<Scalars['String']['output']>;
};

export type Difficulty =
  | 'Beginner'
  | 'Intermediate'
  | 'Advanced';

/** What a set of an exercise counts. It decides which fields a set may have in addition to `type`, `rpe`, `restSeconds` and, with reps, `tempo`. */
export type Modality =
  /** `reps` or `repRange`, with or without `weightKg`. */
  | 'WEIGHT_REPS'
  /** `reps` or `repRange`. */
  | 'BODYWEIGHT_REPS'
  /**
   * `reps` or `repRange`, with or without one of `weightKg`, which is added to the weight of the body, and `assistedKg`, by which a
   * band or a machine reduces it.
   */
  | 'WEIGHTED_BODYWEIGHT'
  /** `durationSeconds`. */
  | 'DURATION'
  /** `durationSeconds`, with or without `weightKg`. */
  | 'WEIGHT_DURATION'
  /** `distanceMeters`, `durationSeconds` or both. */
  | 'DISTANCE_DURATION'
  /** `distanceMeters`, `durationSeconds` or both, with or without `weightKg`. */
  | 'WEIGHT_DISTANCE';

export type ProductKind =
  | 'SUPPLEMENT'
  | 'MERCHANDISE';

export type WorkoutSort =
  | 'TITLE'
  | 'NEWEST'
  /** Shortest first. */
  | 'DURATION';

export type ExerciseSort =
  | 'NAME'
  | 'NEWEST';

export type ProductSort =
  | 'NAME'
  | 'NEWEST'
  | 'PRICE'
  /** The most expensive first. */
  | 'PRICE_DESCENDING';

export type CreateWorkoutInput = {
  /** For a SUPER_ADMIN: the gym that it belongs to; absent: it is global. The routine of a GYM_ADMIN belongs to their gym. */
  gymId?: InputMaybe<Scalars['ID']['input']>;
  title: Scalars['String']['input'];
  description?: InputMaybe<Scalars['String']['input']>;
  difficulty: Difficulty;
  category: Scalars['String']['input'];
  /** Default: the primary muscles of its exercises. */
  targetMuscles?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Blocks as `WorkoutRoutine.exercises` describes them. */
  exercises?: InputMaybe<Scalars['JSON']['input']>;
  /** Default: estimated from the sets. */
  durationMinutes?: InputMaybe<Scalars['Int']['input']>;
};

export type UpdateWorkoutInput = {
  id: Scalars['ID']['input'];
  title?: InputMaybe<Scalars['String']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  difficulty?: InputMaybe<Difficulty>;
  category?: InputMaybe<Scalars['String']['input']>;
  targetMuscles?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Blocks as `WorkoutRoutine.exercises` describes them. They replace all blocks. */
  exercises?: InputMaybe<Scalars['JSON']['input']>;
  durationMinutes?: InputMaybe<Scalars['Int']['input']>;
  /** The version that the change is based on; absent: the last write wins. */
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type CreateExerciseInput = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  name: Scalars['String']['input'];
  aliases?: InputMaybe<Array<Scalars['String']['input']>>;
  description?: InputMaybe<Scalars['String']['input']>;
  /** How to do it, step by step: at most 20 steps of 500 characters. */
  instructions?: InputMaybe<Array<Scalars['String']['input']>>;
  primaryMuscles: Array<Scalars['String']['input']>;
  secondaryMuscles?: InputMaybe<Array<Scalars['String']['input']>>;
  equipment?: InputMaybe<Scalars['String']['input']>;
  level?: InputMaybe<Difficulty>;
  force?: InputMaybe<Scalars['String']['input']>;
  mechanic?: InputMaybe<Scalars['String']['input']>;
  category?: InputMaybe<Scalars['String']['input']>;
  modality: Modality;
};

export type UpdateExerciseInput = {
  id: Scalars['ID']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  aliases?: InputMaybe<Array<Scalars['String']['input']>>;
  description?: InputMaybe<Scalars['String']['input']>;
  /** Replaces all steps. */
  instructions?: InputMaybe<Array<Scalars['String']['input']>>;
  primaryMuscles?: InputMaybe<Array<Scalars['String']['input']>>;
  secondaryMuscles?: InputMaybe<Array<Scalars['String']['input']>>;
  equipment?: InputMaybe<Scalars['String']['input']>;
  level?: InputMaybe<Difficulty>;
  force?: InputMaybe<Scalars['String']['input']>;
  mechanic?: InputMaybe<Scalars['String']['input']>;
  category?: InputMaybe<Scalars['String']['input']>;
  modality?: InputMaybe<Modality>;
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type CreateProductInput = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  sku: Scalars['String']['input'];
  name: Scalars['String']['input'];
  description?: InputMaybe<Scalars['String']['input']>;
  kind: ProductKind;
  /** In minor units of the currency. */
  price: Scalars['Int']['input'];
  /** ISO 4217, e.g. `EUR`. */
  currency: Scalars['String']['input'];
  images?: InputMaybe<Array<Scalars['String']['input']>>;
  variants?: InputMaybe<Array<ProductVariantInput>>;
  stock?: InputMaybe<Scalars['Int']['input']>;
  featuredPriority?: InputMaybe<Scalars['Int']['input']>;
  featuredFrom?: InputMaybe<Scalars['DateTime']['input']>;
  featuredUntil?: InputMaybe<Scalars['DateTime']['input']>;
};

export type UpdateProductInput = {
  id: Scalars['ID']['input'];
  sku?: InputMaybe<Scalars['String']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  description?: InputMaybe<Scalars['String']['input']>;
  kind?: InputMaybe<ProductKind>;
  price?: InputMaybe<Scalars['Int']['input']>;
  currency?: InputMaybe<Scalars['String']['input']>;
  images?: InputMaybe<Array<Scalars['String']['input']>>;
  variants?: InputMaybe<Array<ProductVariantInput>>;
  stock?: InputMaybe<Scalars['Int']['input']>;
  featuredPriority?: InputMaybe<Scalars['Int']['input']>;
  featuredFrom?: InputMaybe<Scalars['DateTime']['input']>;
  featuredUntil?: InputMaybe<Scalars['DateTime']['input']>;
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type ProductVariantInput = {
  sku: Scalars['String']['input'];
  name: Scalars['String']['input'];
  price?: InputMaybe<Scalars['Int']['input']>;
  stock?: InputMaybe<Scalars['Int']['input']>;
};

export type UploadImageInput = {
  /** The id of the routine, exercise or product. */
  id: Scalars['ID']['input'];
  image: Scalars['Upload']['input'];
};

export type DeleteContentInput = {
  id: Scalars['ID']['input'];
  /** The version that the deletion is based on; absent: any version is deleted. */
  version?: InputMaybe<Scalars['Int']['input']>;
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
  WorkoutRoutine: WorkoutRoutine;
  Exercise: Exercise;
  Product: Product;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  WorkoutRoutine:
    ( { __typename: 'WorkoutRoutine' }
    & ( GraphQLRecursivePick<FederationTypes['WorkoutRoutine'], {"id":true}>
        | GraphQLRecursivePick<FederationTypes['WorkoutRoutine'], {"id":true,"version":true}>
        | GraphQLRecursivePick<FederationTypes['WorkoutRoutine'], {"versionId":true}> ) );
  Exercise:
    ( { __typename: 'Exercise' }
    & GraphQLRecursivePick<FederationTypes['Exercise'], {"id":true}> );
  Product:
    ( { __typename: 'Product' }
    & GraphQLRecursivePick<FederationTypes['Product'], {"id":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  CacheControlScope: CacheControlScope;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  Upload: ResolverTypeWrapper<Scalars['Upload']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  WorkoutRoutine: ResolverTypeWrapper<WorkoutRoutineModel>;
  WorkoutVersion: ResolverTypeWrapper<WorkoutVersion>;
  Exercise: ResolverTypeWrapper<ExerciseModel>;
  Product: ResolverTypeWrapper<ProductModel>;
  ProductVariant: ResolverTypeWrapper<ProductVariant>;
  Facet: ResolverTypeWrapper<Facet>;
  WorkoutRoutineConnection: ResolverTypeWrapper<Omit<WorkoutRoutineConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['WorkoutRoutineEdge']>, nodes: Array<ResolversTypes['WorkoutRoutine']> }>;
  WorkoutRoutineEdge: ResolverTypeWrapper<Omit<WorkoutRoutineEdge, 'node'> & { node: ResolversTypes['WorkoutRoutine'] }>;
  ExerciseConnection: ResolverTypeWrapper<Omit<ExerciseConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['ExerciseEdge']>, nodes: Array<ResolversTypes['Exercise']> }>;
  ExerciseEdge: ResolverTypeWrapper<Omit<ExerciseEdge, 'node'> & { node: ResolversTypes['Exercise'] }>;
  ProductConnection: ResolverTypeWrapper<Omit<ProductConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['ProductEdge']>, nodes: Array<ResolversTypes['Product']> }>;
  ProductEdge: ResolverTypeWrapper<Omit<ProductEdge, 'node'> & { node: ResolversTypes['Product'] }>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Difficulty: Difficulty;
  Modality: Modality;
  ProductKind: ProductKind;
  WorkoutSort: WorkoutSort;
  ExerciseSort: ExerciseSort;
  ProductSort: ProductSort;
  CreateWorkoutInput: CreateWorkoutInput;
  UpdateWorkoutInput: UpdateWorkoutInput;
  CreateExerciseInput: CreateExerciseInput;
  UpdateExerciseInput: UpdateExerciseInput;
  CreateProductInput: CreateProductInput;
  UpdateProductInput: UpdateProductInput;
  ProductVariantInput: ProductVariantInput;
  UploadImageInput: UploadImageInput;
  DeleteContentInput: DeleteContentInput;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  JSON: Scalars['JSON']['output'];
  Upload: Scalars['Upload']['output'];
  Query: Record<PropertyKey, never>;
  String: Scalars['String']['output'];
  ID: Scalars['ID']['output'];
  Mutation: Record<PropertyKey, never>;
  WorkoutRoutine: WorkoutRoutineModel;
  WorkoutVersion: WorkoutVersion;
  Exercise: ExerciseModel;
  Product: ProductModel;
  ProductVariant: ProductVariant;
  Facet: Facet;
  WorkoutRoutineConnection: Omit<WorkoutRoutineConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['WorkoutRoutineEdge']>, nodes: Array<ResolversParentTypes['WorkoutRoutine']> };
  WorkoutRoutineEdge: Omit<WorkoutRoutineEdge, 'node'> & { node: ResolversParentTypes['WorkoutRoutine'] };
  ExerciseConnection: Omit<ExerciseConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['ExerciseEdge']>, nodes: Array<ResolversParentTypes['Exercise']> };
  ExerciseEdge: Omit<ExerciseEdge, 'node'> & { node: ResolversParentTypes['Exercise'] };
  ProductConnection: Omit<ProductConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['ProductEdge']>, nodes: Array<ResolversParentTypes['Product']> };
  ProductEdge: Omit<ProductEdge, 'node'> & { node: ResolversParentTypes['Product'] };
  PageInfo: PageInfo;
  CreateWorkoutInput: CreateWorkoutInput;
  UpdateWorkoutInput: UpdateWorkoutInput;
  CreateExerciseInput: CreateExerciseInput;
  UpdateExerciseInput: UpdateExerciseInput;
  CreateProductInput: CreateProductInput;
  UpdateProductInput: UpdateProductInput;
  ProductVariantInput: ProductVariantInput;
  UploadImageInput: UploadImageInput;
  DeleteContentInput: DeleteContentInput;
  Int: Scalars['Int']['output'];
  Boolean: Scalars['Boolean']['output'];
};

export type CacheControlDirectiveArgs = {
  maxAge?: Maybe<Scalars['Int']['input']>;
  scope?: Maybe<CacheControlScope>;
  inheritMaxAge?: Maybe<Scalars['Boolean']['input']>;
};

export type CacheControlDirectiveResolver<Result, Parent, ContextType = Context, Args = CacheControlDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

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
  workouts?: Resolver<Maybe<ResolversTypes['WorkoutRoutineConnection']>, ParentType, ContextType, Partial<QueryWorkoutsArgs>>;
  workout?: Resolver<Maybe<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType, RequireFields<QueryWorkoutArgs, 'id'>>;
  workoutsByCategory?: Resolver<Maybe<ResolversTypes['WorkoutRoutineConnection']>, ParentType, ContextType, RequireFields<QueryWorkoutsByCategoryArgs, 'category'>>;
  exercises?: Resolver<Maybe<ResolversTypes['ExerciseConnection']>, ParentType, ContextType, Partial<QueryExercisesArgs>>;
  exercise?: Resolver<Maybe<ResolversTypes['Exercise']>, ParentType, ContextType, RequireFields<QueryExerciseArgs, 'id'>>;
  muscles?: Resolver<Maybe<Array<ResolversTypes['Facet']>>, ParentType, ContextType>;
  equipment?: Resolver<Maybe<Array<ResolversTypes['Facet']>>, ParentType, ContextType>;
  exerciseCategories?: Resolver<Maybe<Array<ResolversTypes['Facet']>>, ParentType, ContextType>;
  products?: Resolver<Maybe<ResolversTypes['ProductConnection']>, ParentType, ContextType, Partial<QueryProductsArgs>>;
  product?: Resolver<Maybe<ResolversTypes['Product']>, ParentType, ContextType, RequireFields<QueryProductArgs, 'id'>>;
  featuredProducts?: Resolver<Maybe<Array<ResolversTypes['Product']>>, ParentType, ContextType, Partial<QueryFeaturedProductsArgs>>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createWorkout?: Resolver<Maybe<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType, RequireFields<MutationCreateWorkoutArgs, 'input'>>;
  updateWorkout?: Resolver<Maybe<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType, RequireFields<MutationUpdateWorkoutArgs, 'input'>>;
  deleteWorkout?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteWorkoutArgs, 'input'>>;
  createExercise?: Resolver<Maybe<ResolversTypes['Exercise']>, ParentType, ContextType, RequireFields<MutationCreateExerciseArgs, 'input'>>;
  updateExercise?: Resolver<Maybe<ResolversTypes['Exercise']>, ParentType, ContextType, RequireFields<MutationUpdateExerciseArgs, 'input'>>;
  deleteExercise?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteExerciseArgs, 'input'>>;
  createProduct?: Resolver<Maybe<ResolversTypes['Product']>, ParentType, ContextType, RequireFields<MutationCreateProductArgs, 'input'>>;
  updateProduct?: Resolver<Maybe<ResolversTypes['Product']>, ParentType, ContextType, RequireFields<MutationUpdateProductArgs, 'input'>>;
  deleteProduct?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteProductArgs, 'input'>>;
  uploadWorkoutImage?: Resolver<Maybe<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType, RequireFields<MutationUploadWorkoutImageArgs, 'input'>>;
  uploadExerciseImage?: Resolver<Maybe<ResolversTypes['Exercise']>, ParentType, ContextType, RequireFields<MutationUploadExerciseImageArgs, 'input'>>;
  uploadProductImage?: Resolver<Maybe<ResolversTypes['Product']>, ParentType, ContextType, RequireFields<MutationUploadProductImageArgs, 'input'>>;
};

export type WorkoutRoutineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WorkoutRoutine'] = ResolversParentTypes['WorkoutRoutine'], FederationReferenceType extends FederationReferenceTypes['WorkoutRoutine'] = FederationReferenceTypes['WorkoutRoutine']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['WorkoutRoutine']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  versionId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  difficulty?: Resolver<ResolversTypes['Difficulty'], ParentType, ContextType>;
  category?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  targetMuscles?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  equipment?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  exercises?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  exerciseList?: Resolver<Array<ResolversTypes['Exercise']>, ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  durationMinutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  gymId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  versions?: Resolver<Array<ResolversTypes['WorkoutVersion']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type WorkoutVersionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WorkoutVersion'] = ResolversParentTypes['WorkoutVersion']> = {
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type ExerciseResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Exercise'] = ResolversParentTypes['Exercise'], FederationReferenceType extends FederationReferenceTypes['Exercise'] = FederationReferenceTypes['Exercise']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Exercise']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  aliases?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  instructions?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  primaryMuscles?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  secondaryMuscles?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  equipment?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  level?: Resolver<ResolversTypes['Difficulty'], ParentType, ContextType>;
  force?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  mechanic?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  category?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  modality?: Resolver<ResolversTypes['Modality'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  gymId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ProductResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Product'] = ResolversParentTypes['Product'], FederationReferenceType extends FederationReferenceTypes['Product'] = FederationReferenceTypes['Product']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Product']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  sku?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ProductKind'], ParentType, ContextType>;
  price?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  currency?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  images?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  variants?: Resolver<Array<ResolversTypes['ProductVariant']>, ParentType, ContextType>;
  stock?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  available?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  featured?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  featuredPriority?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  featuredFrom?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  featuredUntil?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  gymId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ProductVariantResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ProductVariant'] = ResolversParentTypes['ProductVariant']> = {
  sku?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  stock?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type FacetResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Facet'] = ResolversParentTypes['Facet']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  exercises?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type WorkoutRoutineConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WorkoutRoutineConnection'] = ResolversParentTypes['WorkoutRoutineConnection']> = {
  edges?: Resolver<Array<ResolversTypes['WorkoutRoutineEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type WorkoutRoutineEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WorkoutRoutineEdge'] = ResolversParentTypes['WorkoutRoutineEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['WorkoutRoutine'], ParentType, ContextType>;
};

export type ExerciseConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ExerciseConnection'] = ResolversParentTypes['ExerciseConnection']> = {
  edges?: Resolver<Array<ResolversTypes['ExerciseEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Exercise']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type ExerciseEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ExerciseEdge'] = ResolversParentTypes['ExerciseEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Exercise'], ParentType, ContextType>;
};

export type ProductConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ProductConnection'] = ResolversParentTypes['ProductConnection']> = {
  edges?: Resolver<Array<ResolversTypes['ProductEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Product']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type ProductEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ProductEdge'] = ResolversParentTypes['ProductEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Product'], ParentType, ContextType>;
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
  WorkoutRoutine?: WorkoutRoutineResolvers<ContextType>;
  WorkoutVersion?: WorkoutVersionResolvers<ContextType>;
  Exercise?: ExerciseResolvers<ContextType>;
  Product?: ProductResolvers<ContextType>;
  ProductVariant?: ProductVariantResolvers<ContextType>;
  Facet?: FacetResolvers<ContextType>;
  WorkoutRoutineConnection?: WorkoutRoutineConnectionResolvers<ContextType>;
  WorkoutRoutineEdge?: WorkoutRoutineEdgeResolvers<ContextType>;
  ExerciseConnection?: ExerciseConnectionResolvers<ContextType>;
  ExerciseEdge?: ExerciseEdgeResolvers<ContextType>;
  ProductConnection?: ProductConnectionResolvers<ContextType>;
  ProductEdge?: ProductEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = Context> = {
  cacheControl?: CacheControlDirectiveResolver<any, any, ContextType>;
};
