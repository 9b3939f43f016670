// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Announcement as AnnouncementModel, Challenge as ChallengeModel, CheckIn as CheckInModel, CheckInDenial as CheckInDenialModel, Comment as CommentModel, Gym as GymModel, GymConfig as GymConfigModel, GymConfigDraft as GymConfigDraftModel, GymProduct as GymProductModel, GymProgram as GymProgramModel, LeaderboardEntry as LeaderboardEntryModel, Location as LocationModel, Occupancy as OccupancyModel, Post as PostModel, PostReport as PostReportModel, Product as ProductModel, User as UserModel, WorkoutRoutine as WorkoutRoutineModel } from './models.ts';
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
  /** A gym by its id or its slug; null if there is none. */
  gym: Maybe<Gym>;
  /** All gyms of the platform, or those of one name without regard to case; by name. */
  gyms: Maybe<Array<Gym>>;
  /** The branding and feature switches of a gym, by the gym's id or slug; null if there is no such gym. */
  gymConfig: Maybe<GymConfig>;
  /** The draft of a gym's next configuration; null if there is none. For SUPER_ADMIN. */
  gymConfigDraft: Maybe<GymConfigDraft>;
  /** Published configurations of a gym, newest first. For its GYM_ADMIN and SUPER_ADMIN. */
  gymConfigHistory: Maybe<GymConfigConnection>;
  /** The theme of a gym as W3C design tokens (Design Tokens Format Module, 2025.10). */
  designTokens: Maybe<Scalars['JSON']['output']>;
  /** The locations of your gym, by name. A SUPER_ADMIN names any gym by `gymId`. */
  locations: Maybe<Array<Location>>;
  /** A location of your gym (SUPER_ADMIN: of any gym); null if there is none. */
  location: Maybe<Location>;
  /** Denials (refused check-ins) at a location, newest first. For staff of the gym. */
  checkInDenials: Maybe<CheckInDenialConnection>;
  /** The active challenges of your gym, the one that ends first comes first. `FEATURE_DISABLED` if the gym has switched off "challenges". */
  challenges: Maybe<Array<Challenge>>;
  /** One challenge of your gym; null if there is none. */
  challenge: Maybe<Challenge>;
  /** The current announcements of your gym, newest first. `FEATURE_DISABLED` if the gym has switched off "feed". */
  announcements: Maybe<Array<Announcement>>;
  /** The posts of your gym, newest first. `FEATURE_DISABLED` if the gym has switched off "feed". */
  posts: Maybe<PostConnection>;
  /** One post of your gym; null if there is none. */
  post: Maybe<Post>;
  /** Reported posts, latest report first. For the gym's GYM_ADMIN and SUPER_ADMIN. */
  postReports: Maybe<PostReportConnection>;
};


export type QueryGymArgs = {
  id?: InputMaybe<Scalars['ID']['input']>;
  slug?: InputMaybe<Scalars['String']['input']>;
};


export type QueryGymsArgs = {
  name?: InputMaybe<Scalars['String']['input']>;
};


export type QueryGymConfigArgs = {
  gymId: Scalars['ID']['input'];
};


export type QueryGymConfigDraftArgs = {
  gymId: Scalars['ID']['input'];
};


export type QueryGymConfigHistoryArgs = {
  gymId: Scalars['ID']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryDesignTokensArgs = {
  gymId: Scalars['ID']['input'];
};


export type QueryLocationsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};


export type QueryLocationArgs = {
  id: Scalars['ID']['input'];
};


export type QueryCheckInDenialsArgs = {
  locationId: Scalars['ID']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryChallengesArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};


export type QueryChallengeArgs = {
  id: Scalars['ID']['input'];
};


export type QueryAnnouncementsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};


export type QueryPostsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryPostArgs = {
  id: Scalars['ID']['input'];
};


export type QueryPostReportsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

export type Mutation = {
  __typename?: 'Mutation';
  /** Adds a gym. For SUPER_ADMIN. `CONFLICT` if the slug is taken. */
  createGym: Maybe<Gym>;
  /**
   * Publishes branding and feature switches of a gym at once. For SUPER_ADMIN.
   * The changes are merged as `UpdateGymConfigInput` describes.
   * `VERSION_CONFLICT` if `version` is given and is not the stored one.
   */
  updateGymConfig: Maybe<GymConfig>;
  /**
   * Saves the draft of a gym's next configuration; the first change creates it from the published one. For SUPER_ADMIN.
   * `VERSION_CONFLICT` if `version` is given and is not that of the stored draft.
   */
  saveGymConfigDraft: Maybe<GymConfigDraft>;
  /** Publishes the draft. `VERSION_CONFLICT` if another configuration was published after the draft was created. For SUPER_ADMIN. */
  publishGymConfigDraft: Maybe<GymConfig>;
  /** Publishes an earlier version again, as the next version. For SUPER_ADMIN. */
  rollbackGymConfig: Maybe<GymConfig>;
  /** Adds a location. For the gym's GYM_ADMIN, or a SUPER_ADMIN, who names the gym. */
  createLocation: Maybe<Location>;
  /**
   * Changes a location; absent fields are unchanged, and null removes the address or the opening hours. For the gym's
   * GYM_ADMIN, or a SUPER_ADMIN. `VERSION_CONFLICT` if `version` is given and is not the stored one.
   */
  updateLocation: Maybe<Location>;
  /**
   * Checks a member in by their QR code. Members present their own code, staff any code of their gym.
   * A second scan during an open visit returns that visit with `duplicate: true`; an open visit at another location ends.
   * `LOCATION_FULL`, `QR_UNKNOWN`, `WRONG_GYM`, `FORBIDDEN`; `UPSTREAM_UNAVAILABLE` while codes cannot be looked up.
   */
  checkIn: Maybe<CheckIn>;
  /** Ends the open visit of the presented code, or of `userId` (staff); without both, your own. `NOT_FOUND` if there is none. */
  checkOut: Maybe<CheckIn>;
  /** Undoes a check-in: the visit no longer counts. For staff of the gym; audited. */
  undoCheckIn: Maybe<Scalars['Boolean']['output']>;
  /** Starts a challenge. For the gym's GYM_ADMIN, or a SUPER_ADMIN, who names the gym. */
  createChallenge: Maybe<Challenge>;
  /** Joins a challenge; joining a second time changes nothing. */
  joinChallenge: Maybe<Challenge>;
  /** Leaves a challenge; the score is deleted. */
  leaveChallenge: Maybe<Challenge>;
  /** Adds to your score in a challenge that is not counted automatically. `CONFLICT` if you have not joined it or it is not running. */
  addChallengeProgress: Maybe<Challenge>;
  /** Publishes an announcement. For the gym's GYM_ADMIN, or a SUPER_ADMIN, who names the gym. */
  createAnnouncement: Maybe<Announcement>;
  /**
   * Deletes an announcement. For the gym's GYM_ADMIN, or a SUPER_ADMIN. `VERSION_CONFLICT` if `version` is given and is not the
   * stored one.
   */
  deleteAnnouncement: Maybe<Scalars['Boolean']['output']>;
  /** Writes a post in the gym's feed, with or without a picture. */
  createPost: Maybe<Post>;
  /**
   * Deletes a post with its likes, comments and reports. By its author, or by staff of the gym. `VERSION_CONFLICT` if
   * `version` is given and is not the stored one.
   */
  deletePost: Maybe<Scalars['Boolean']['output']>;
  /** Likes a post; liking a second time changes nothing. */
  likePost: Maybe<Post>;
  /** Removes a like. */
  unlikePost: Maybe<Post>;
  /** Comments on a post. */
  commentPost: Maybe<Comment>;
  /** Reports a post to the gym's admins. */
  reportPost: Maybe<PostReport>;
  /**
   * Replaces the list of products that a gym sells. For its GYM_ADMIN, or a SUPER_ADMIN.
   * `VALIDATION_FAILED` names each product that is neither the gym's own nor one of all gyms.
   */
  setGymProducts: Maybe<Array<GymProduct>>;
  /**
   * Replaces the programme of a gym. For its GYM_ADMIN, or a SUPER_ADMIN.
   * `VALIDATION_FAILED` names each routine that is neither the gym's own nor one of all gyms.
   */
  setGymPrograms: Maybe<Array<GymProgram>>;
};


export type MutationCreateGymArgs = {
  input: CreateGymInput;
};


export type MutationUpdateGymConfigArgs = {
  input: UpdateGymConfigInput;
};


export type MutationSaveGymConfigDraftArgs = {
  input: SaveGymConfigDraftInput;
};


export type MutationPublishGymConfigDraftArgs = {
  gymId: Scalars['ID']['input'];
};


export type MutationRollbackGymConfigArgs = {
  input: RollbackGymConfigInput;
};


export type MutationCreateLocationArgs = {
  input: CreateLocationInput;
};


export type MutationUpdateLocationArgs = {
  input: UpdateLocationInput;
};


export type MutationCheckInArgs = {
  input: CheckInInput;
};


export type MutationCheckOutArgs = {
  input?: InputMaybe<CheckOutInput>;
};


export type MutationUndoCheckInArgs = {
  id: Scalars['ID']['input'];
};


export type MutationCreateChallengeArgs = {
  input: CreateChallengeInput;
};


export type MutationJoinChallengeArgs = {
  id: Scalars['ID']['input'];
};


export type MutationLeaveChallengeArgs = {
  id: Scalars['ID']['input'];
};


export type MutationAddChallengeProgressArgs = {
  id: Scalars['ID']['input'];
  amount: Scalars['Int']['input'];
};


export type MutationCreateAnnouncementArgs = {
  input: CreateAnnouncementInput;
};


export type MutationDeleteAnnouncementArgs = {
  id: Scalars['ID']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};


export type MutationCreatePostArgs = {
  input: CreatePostInput;
};


export type MutationDeletePostArgs = {
  id: Scalars['ID']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};


export type MutationLikePostArgs = {
  id: Scalars['ID']['input'];
};


export type MutationUnlikePostArgs = {
  id: Scalars['ID']['input'];
};


export type MutationCommentPostArgs = {
  input: CommentPostInput;
};


export type MutationReportPostArgs = {
  input: ReportPostInput;
};


export type MutationSetGymProductsArgs = {
  input: SetGymProductsInput;
};


export type MutationSetGymProgramsArgs = {
  input: SetGymProgramsInput;
};

export type Subscription = {
  __typename?: 'Subscription';
  /** The occupancy of a location: now, and at every change. For users of its gym. A slow reader gets only the latest. */
  occupancyChanged: Maybe<Occupancy>;
};


export type SubscriptionOccupancyChangedArgs = {
  locationId: Scalars['ID']['input'];
};

/** A white-labelled gym. */
export type Gym = {
  __typename?: 'Gym';
  id: Scalars['ID']['output'];
  /** Short name for URLs: lower-case letters, digits and hyphens; unique. */
  slug: Scalars['String']['output'];
  name: Scalars['String']['output'];
  config: GymConfig;
  /** The gym's locations, by name; for its users and SUPER_ADMINs. */
  locations: Maybe<Array<Location>>;
  /** Active challenges; for its users and SUPER_ADMINs. */
  challenges: Maybe<Array<Challenge>>;
  /** Its current announcements; for its users and SUPER_ADMINs. */
  announcements: Maybe<Array<Announcement>>;
  /** Its feed, newest first; for its users and SUPER_ADMINs. */
  posts: Maybe<PostConnection>;
  /** The products that it sells, in its own order and with its own terms. */
  products: Maybe<Array<GymProduct>>;
  /** The routines of its programme, in its own order. */
  programs: Maybe<Array<GymProgram>>;
};


/** A white-labelled gym. */
export type GymPostsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

/** The gym's own branding, and the modules that are on for its members. */
export type GymConfig = {
  __typename?: 'GymConfig';
  gymId: Scalars['ID']['output'];
  /**
   * `{colors: {primary, ...}, typography, spacing}`. Every text under `colors` is `#rgb`, `#rrggbb` or `#rrggbbaa`, except
   * below keys that begin with `x-`; unknown keys are kept, and no text can end a CSS value.
   */
  theme: Scalars['JSON']['output'];
  /** Pictures by use: `{logo, splash, icon, ...}`; unknown keys are kept. Every text is an http(s) URL or a path. */
  assets: Scalars['JSON']['output'];
  /** Modules by name, `{nutrition: true, ...}`; a module without a switch is on. A module that is off is refused to the gym's members with `FEATURE_DISABLED`. */
  features: Scalars['JSON']['output'];
  /** Increases with every change. */
  version: Scalars['Int']['output'];
  updatedAt: Scalars['DateTime']['output'];
};

/** The next configuration, which is not published yet. */
export type GymConfigDraft = {
  __typename?: 'GymConfigDraft';
  gymId: Scalars['ID']['output'];
  theme: Scalars['JSON']['output'];
  assets: Scalars['JSON']['output'];
  features: Scalars['JSON']['output'];
  /** The published version on which the draft is based. */
  basedOnVersion: Scalars['Int']['output'];
  /** Increases with every change, across all drafts of the gym. */
  version: Scalars['Int']['output'];
  updatedAt: Scalars['DateTime']['output'];
};

/** A physical site of a gym, where members check in. */
export type Location = {
  __typename?: 'Location';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  gym: Gym;
  name: Scalars['String']['output'];
  address: Maybe<Scalars['String']['output']>;
  /** IANA time zone, e.g. `Europe/Berlin`. */
  timezone: Scalars['String']['output'];
  /** How many people may be inside at once. */
  capacity: Scalars['Int']['output'];
  /** A visit ends automatically after this many minutes. */
  maxStayMinutes: Scalars['Int']['output'];
  /** Local times by day, `{"mon": {"opens": "06:30", "closes": "22:00"}}`; a day without times is closed. null: unknown. */
  openingHours: Maybe<Scalars['JSON']['output']>;
  /** Increases with every change. */
  version: Scalars['Int']['output'];
  occupancy: Occupancy;
  /** Hour by hour from `from` (default: 24 hours before `to`) to `to` (default: now), at most 31 days. */
  occupancyHistory: Array<OccupancySample>;
};


/** A physical site of a gym, where members check in. */
export type LocationOccupancyHistoryArgs = {
  from?: InputMaybe<Scalars['DateTime']['input']>;
  to?: InputMaybe<Scalars['DateTime']['input']>;
};

/** The number of members with an open visit at a location. */
export type Occupancy = {
  __typename?: 'Occupancy';
  location: Location;
  people: Scalars['Int']['output'];
  capacity: Scalars['Int']['output'];
  /** `people` of `capacity` in percent, rounded. */
  percent: Scalars['Int']['output'];
  level: OccupancyLevel;
  /** When the number of people last changed. */
  updatedAt: Scalars['DateTime']['output'];
};

export type OccupancyLevel =
  /** Below 80 percent. */
  | 'OK'
  /** From 80 percent. */
  | 'BUSY'
  /** No more members are let in. */
  | 'FULL';

/** One hour of a location's occupancy. */
export type OccupancySample = {
  __typename?: 'OccupancySample';
  /** The beginning of the hour. */
  from: Scalars['DateTime']['output'];
  /** The most people at once. */
  peak: Scalars['Int']['output'];
  /** Check-ins in this hour. */
  checkIns: Scalars['Int']['output'];
};

/** A visit of a member at a location. */
export type CheckIn = {
  __typename?: 'CheckIn';
  id: Scalars['ID']['output'];
  /** Null once the account is deleted. */
  userId: Maybe<Scalars['ID']['output']>;
  /** Null once the account is deleted, and if you may not see the user. */
  user: Maybe<User>;
  gymId: Scalars['ID']['output'];
  locationId: Scalars['ID']['output'];
  location: Maybe<Location>;
  checkedInAt: Scalars['DateTime']['output'];
  /** Null while the visit is open. */
  checkedOutAt: Maybe<Scalars['DateTime']['output']>;
  /** The scanning device, as the caller names it. */
  source: Maybe<Scalars['String']['output']>;
  method: CheckInMethod;
  /** Whether the visit was already open before this scan. */
  duplicate: Scalars['Boolean']['output'];
};

export type CheckInMethod =
  | 'QR'
  /** Staff let the member in although the location was full. */
  | 'OVERRIDE';

/** A denial: a refused check-in. */
export type CheckInDenial = {
  __typename?: 'CheckInDenial';
  id: Scalars['ID']['output'];
  locationId: Scalars['ID']['output'];
  /** The owner of the code; null if it had none, or once the account is deleted. */
  userId: Maybe<Scalars['ID']['output']>;
  /** The error code of the refusal. */
  reason: Scalars['String']['output'];
  /** Null once that account is deleted. */
  presentedBy: Maybe<Scalars['ID']['output']>;
  deniedAt: Scalars['DateTime']['output'];
  /** How many denials this entry represents: 60 an hour of one caller are stored one by one, and the last of them counts the following ones, whatever their reason. */
  count: Scalars['Int']['output'];
};

/** A competition among the members of a gym, with a score for each participant. */
export type Challenge = {
  __typename?: 'Challenge';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  title: Scalars['String']['output'];
  metric: ChallengeMetric;
  goal: Scalars['Int']['output'];
  startsAt: Scalars['DateTime']['output'];
  endsAt: Scalars['DateTime']['output'];
  /** Increases when the challenge changes, not with scores. */
  version: Scalars['Int']['output'];
  /** Whether you have joined. */
  joined: Scalars['Boolean']['output'];
  /** Your score; null if you have not joined. */
  score: Maybe<Scalars['Int']['output']>;
  /** Best first; of equal scores the earlier one ranks higher. */
  leaderboard: LeaderboardConnection;
  /** Your own place; null if you have not joined. */
  ownRank: Maybe<LeaderboardEntry>;
};


/** A competition among the members of a gym, with a score for each participant. */
export type ChallengeLeaderboardArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

export type ChallengeMetric =
  /** Visits during the challenge; counted automatically. */
  | 'CHECK_INS'
  | 'WORKOUTS'
  | 'MINUTES'
  | 'CUSTOM';

export type LeaderboardEntry = {
  __typename?: 'LeaderboardEntry';
  /** From 1. */
  rank: Scalars['Int']['output'];
  userId: Scalars['ID']['output'];
  /** Null once the account is deleted, and if you may not see the user. */
  user: Maybe<User>;
  score: Scalars['Int']['output'];
  /** When the score was reached. */
  reachedAt: Scalars['DateTime']['output'];
};

/** News of a gym for its users. */
export type Announcement = {
  __typename?: 'Announcement';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  /** Null once the account is deleted, and if you may not see the user. */
  author: Maybe<User>;
  title: Scalars['String']['output'];
  text: Scalars['String']['output'];
  startsAt: Scalars['DateTime']['output'];
  /** Null: valid until it is deleted. */
  endsAt: Maybe<Scalars['DateTime']['output']>;
  version: Scalars['Int']['output'];
  createdAt: Scalars['DateTime']['output'];
};

/** A post of a member in the feed of their gym. */
export type Post = {
  __typename?: 'Post';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  /** Null once the account is deleted, and if you may not see the user. */
  author: Maybe<User>;
  /** Empty once the account of its author is deleted. */
  text: Scalars['String']['output'];
  /** Path of the picture, at the server of this request; at the gateway `/gym/media/<file>`. Null if there is none. */
  image: Maybe<Scalars['String']['output']>;
  likeCount: Scalars['Int']['output'];
  /** The users who liked it, latest first; null in place of users whom you may not see. */
  likes: Array<Maybe<User>>;
  likedByMe: Scalars['Boolean']['output'];
  commentCount: Scalars['Int']['output'];
  /** Oldest first. */
  comments: CommentConnection;
  /** Increases when the text or the picture changes, not with likes and comments. */
  version: Scalars['Int']['output'];
  createdAt: Scalars['DateTime']['output'];
};


/** A post of a member in the feed of their gym. */
export type PostLikesArgs = {
  first?: Scalars['Int']['input'];
};


/** A post of a member in the feed of their gym. */
export type PostCommentsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

export type Comment = {
  __typename?: 'Comment';
  id: Scalars['ID']['output'];
  postId: Scalars['ID']['output'];
  /** Null once the account is deleted, and if you may not see the user. */
  author: Maybe<User>;
  text: Scalars['String']['output'];
  createdAt: Scalars['DateTime']['output'];
};

/** A member's report that a post should be removed. */
export type PostReport = {
  __typename?: 'PostReport';
  postId: Scalars['ID']['output'];
  /** Null if it has been deleted in the meantime. */
  post: Maybe<Post>;
  /** Null once the account is deleted, and if you may not see the user. */
  reporter: Maybe<User>;
  reason: Scalars['String']['output'];
  createdAt: Scalars['DateTime']['output'];
};

/** A product of the content service in a gym's shop. */
export type GymProduct = {
  __typename?: 'GymProduct';
  /** Null if the product has been removed and is not yet off the list. */
  product: Maybe<Product>;
  /** The gym's own price in minor units of `currency`; null: the product's. */
  price: Maybe<Scalars['Int']['output']>;
  /** ISO 4217. */
  currency: Maybe<Scalars['String']['output']>;
  /** How many the gym has; null: not counted. */
  stock: Maybe<Scalars['Int']['output']>;
};

/** A routine of the content service in a gym's programme. */
export type GymProgram = {
  __typename?: 'GymProgram';
  /** Null if the routine has been removed and is not yet off the programme. */
  routine: Maybe<WorkoutRoutine>;
  note: Maybe<Scalars['String']['output']>;
};

export type GymConfigConnection = {
  __typename?: 'GymConfigConnection';
  edges: Array<GymConfigEdge>;
  nodes: Array<GymConfig>;
  pageInfo: PageInfo;
};

export type GymConfigEdge = {
  __typename?: 'GymConfigEdge';
  cursor: Scalars['String']['output'];
  node: GymConfig;
};

export type CheckInConnection = {
  __typename?: 'CheckInConnection';
  edges: Array<CheckInEdge>;
  nodes: Array<CheckIn>;
  pageInfo: PageInfo;
};

export type CheckInEdge = {
  __typename?: 'CheckInEdge';
  cursor: Scalars['String']['output'];
  node: CheckIn;
};

export type CheckInDenialConnection = {
  __typename?: 'CheckInDenialConnection';
  edges: Array<CheckInDenialEdge>;
  nodes: Array<CheckInDenial>;
  pageInfo: PageInfo;
};

export type CheckInDenialEdge = {
  __typename?: 'CheckInDenialEdge';
  cursor: Scalars['String']['output'];
  node: CheckInDenial;
};

export type LeaderboardConnection = {
  __typename?: 'LeaderboardConnection';
  edges: Array<LeaderboardEdge>;
  nodes: Array<LeaderboardEntry>;
  pageInfo: PageInfo;
};

export type LeaderboardEdge = {
  __typename?: 'LeaderboardEdge';
  cursor: Scalars['String']['output'];
  node: LeaderboardEntry;
};

export type PostConnection = {
  __typename?: 'PostConnection';
  edges: Array<PostEdge>;
  nodes: Array<Post>;
  pageInfo: PageInfo;
};

export type PostEdge = {
  __typename?: 'PostEdge';
  cursor: Scalars['String']['output'];
  node: Post;
};

export type CommentConnection = {
  __typename?: 'CommentConnection';
  edges: Array<CommentEdge>;
  nodes: Array<Comment>;
  pageInfo: PageInfo;
};

export type CommentEdge = {
  __typename?: 'CommentEdge';
  cursor: Scalars['String']['output'];
  node: Comment;
};

export type PostReportConnection = {
  __typename?: 'PostReportConnection';
  edges: Array<PostReportEdge>;
  nodes: Array<PostReport>;
  pageInfo: PageInfo;
};

export type PostReportEdge = {
  __typename?: 'PostReportEdge';
  cursor: Scalars['String']['output'];
  node: PostReport;
};

/** The position of a page in its connection. */
export type PageInfo = {
  __typename?: 'PageInfo';
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor: Maybe<Scalars['String']['output']>;
  endCursor: Maybe<Scalars['String']['output']>;
};

export type CreateGymInput = {
  name: Scalars['String']['input'];
  /** 3 to 63 lower-case letters, digits and hyphens; unique. */
  slug: Scalars['String']['input'];
  theme?: InputMaybe<Scalars['JSON']['input']>;
  assets?: InputMaybe<Scalars['JSON']['input']>;
  features?: InputMaybe<Scalars['JSON']['input']>;
};

/**
 * Changes of a configuration by JSON Merge Patch (RFC 7396): a given key replaces that key, null removes it, an absent key
 * is unchanged. `theme.colors.primary` cannot be removed.
 */
export type UpdateGymConfigInput = {
  gymId: Scalars['ID']['input'];
  theme?: InputMaybe<Scalars['JSON']['input']>;
  assets?: InputMaybe<Scalars['JSON']['input']>;
  features?: InputMaybe<Scalars['JSON']['input']>;
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type SaveGymConfigDraftInput = {
  gymId: Scalars['ID']['input'];
  theme?: InputMaybe<Scalars['JSON']['input']>;
  assets?: InputMaybe<Scalars['JSON']['input']>;
  features?: InputMaybe<Scalars['JSON']['input']>;
  /** The version of the draft on which the change is based; without it the last write wins. */
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type RollbackGymConfigInput = {
  gymId: Scalars['ID']['input'];
  /** The version to publish again. */
  version: Scalars['Int']['input'];
};

export type CreateLocationInput = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  name: Scalars['String']['input'];
  address?: InputMaybe<Scalars['String']['input']>;
  timezone: Scalars['String']['input'];
  capacity: Scalars['Int']['input'];
  maxStayMinutes?: InputMaybe<Scalars['Int']['input']>;
  /** Local times by day, `{"mon": {"opens": "06:30", "closes": "22:00"}}`; a day without times is closed. null: unknown. */
  openingHours?: InputMaybe<Scalars['JSON']['input']>;
};

export type UpdateLocationInput = {
  id: Scalars['ID']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  /** null removes it. */
  address?: InputMaybe<Scalars['String']['input']>;
  timezone?: InputMaybe<Scalars['String']['input']>;
  capacity?: InputMaybe<Scalars['Int']['input']>;
  maxStayMinutes?: InputMaybe<Scalars['Int']['input']>;
  /** Local times by day, `{"mon": {"opens": "06:30", "closes": "22:00"}}`; a day without times is closed. null: unknown. */
  openingHours?: InputMaybe<Scalars['JSON']['input']>;
  /** The version on which the change is based; without it the last write wins. */
  version?: InputMaybe<Scalars['Int']['input']>;
};

export type CheckInInput = {
  qrCode: Scalars['String']['input'];
  locationId: Scalars['ID']['input'];
  /** The scanning device, e.g. `kiosk` or `app`. */
  source?: InputMaybe<Scalars['String']['input']>;
  /** Only for staff: lets the member in even if the location is full; audited. */
  override?: InputMaybe<Scalars['Boolean']['input']>;
};

export type CheckOutInput = {
  qrCode?: InputMaybe<Scalars['String']['input']>;
  userId?: InputMaybe<Scalars['ID']['input']>;
  /** Ends the visit only if it is at this location. */
  locationId?: InputMaybe<Scalars['ID']['input']>;
};

export type CreateChallengeInput = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  title: Scalars['String']['input'];
  metric: ChallengeMetric;
  goal: Scalars['Int']['input'];
  startsAt: Scalars['DateTime']['input'];
  endsAt: Scalars['DateTime']['input'];
};

export type CreateAnnouncementInput = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  title: Scalars['String']['input'];
  text: Scalars['String']['input'];
  /** Default: now. */
  startsAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Default: valid until it is deleted. */
  endsAt?: InputMaybe<Scalars['DateTime']['input']>;
};

export type CreatePostInput = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  text: Scalars['String']['input'];
  /** JPEG, PNG, WebP or AVIF, at most 10 MiB. */
  image?: InputMaybe<Scalars['Upload']['input']>;
};

export type CommentPostInput = {
  postId: Scalars['ID']['input'];
  text: Scalars['String']['input'];
};

export type ReportPostInput = {
  postId: Scalars['ID']['input'];
  reason: Scalars['String']['input'];
};

export type SetGymProductsInput = {
  gymId: Scalars['ID']['input'];
  /** The whole list, in its order. */
  products: Array<GymProductInput>;
};

export type GymProductInput = {
  productId: Scalars['ID']['input'];
  price?: InputMaybe<Scalars['Int']['input']>;
  currency?: InputMaybe<Scalars['String']['input']>;
  stock?: InputMaybe<Scalars['Int']['input']>;
};

export type SetGymProgramsInput = {
  gymId: Scalars['ID']['input'];
  /** The whole list, in its order. */
  programs: Array<GymProgramInput>;
};

export type GymProgramInput = {
  routineId: Scalars['ID']['input'];
  note?: InputMaybe<Scalars['String']['input']>;
};

export type User = {
  __typename?: 'User';
  id: Scalars['ID']['output'];
  gymId: Maybe<Scalars['ID']['output']>;
  /** The gym that the user belongs to; null if there is none, or if you may not see it. */
  gym: Maybe<Gym>;
  /** Visits, newest first: your own, or those of members of the gym that you manage. */
  checkIns: Maybe<CheckInConnection>;
  /** The open visit; null if there is none. */
  currentCheckIn: Maybe<CheckIn>;
};


export type UserCheckInsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

export type Product = {
  __typename?: 'Product';
  id: Scalars['ID']['output'];
};

export type WorkoutRoutine = {
  __typename?: 'WorkoutRoutine';
  id: Scalars['ID']['output'];
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
  CheckIn: CheckIn;
  Challenge: Challenge;
  Post: Post;
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
  CheckIn:
    ( { __typename: 'CheckIn' }
    & GraphQLRecursivePick<FederationTypes['CheckIn'], {"id":true}> );
  Challenge:
    ( { __typename: 'Challenge' }
    & GraphQLRecursivePick<FederationTypes['Challenge'], {"id":true}> );
  Post:
    ( { __typename: 'Post' }
    & GraphQLRecursivePick<FederationTypes['Post'], {"id":true}> );
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
  Upload: ResolverTypeWrapper<Scalars['Upload']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Gym: ResolverTypeWrapper<GymModel>;
  GymConfig: ResolverTypeWrapper<GymConfigModel>;
  GymConfigDraft: ResolverTypeWrapper<GymConfigDraftModel>;
  Location: ResolverTypeWrapper<LocationModel>;
  Occupancy: ResolverTypeWrapper<OccupancyModel>;
  OccupancyLevel: OccupancyLevel;
  OccupancySample: ResolverTypeWrapper<OccupancySample>;
  CheckIn: ResolverTypeWrapper<CheckInModel>;
  CheckInMethod: CheckInMethod;
  CheckInDenial: ResolverTypeWrapper<CheckInDenialModel>;
  Challenge: ResolverTypeWrapper<ChallengeModel>;
  ChallengeMetric: ChallengeMetric;
  LeaderboardEntry: ResolverTypeWrapper<LeaderboardEntryModel>;
  Announcement: ResolverTypeWrapper<AnnouncementModel>;
  Post: ResolverTypeWrapper<PostModel>;
  Comment: ResolverTypeWrapper<CommentModel>;
  PostReport: ResolverTypeWrapper<PostReportModel>;
  GymProduct: ResolverTypeWrapper<GymProductModel>;
  GymProgram: ResolverTypeWrapper<GymProgramModel>;
  GymConfigConnection: ResolverTypeWrapper<Omit<GymConfigConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['GymConfigEdge']>, nodes: Array<ResolversTypes['GymConfig']> }>;
  GymConfigEdge: ResolverTypeWrapper<Omit<GymConfigEdge, 'node'> & { node: ResolversTypes['GymConfig'] }>;
  CheckInConnection: ResolverTypeWrapper<Omit<CheckInConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['CheckInEdge']>, nodes: Array<ResolversTypes['CheckIn']> }>;
  CheckInEdge: ResolverTypeWrapper<Omit<CheckInEdge, 'node'> & { node: ResolversTypes['CheckIn'] }>;
  CheckInDenialConnection: ResolverTypeWrapper<Omit<CheckInDenialConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['CheckInDenialEdge']>, nodes: Array<ResolversTypes['CheckInDenial']> }>;
  CheckInDenialEdge: ResolverTypeWrapper<Omit<CheckInDenialEdge, 'node'> & { node: ResolversTypes['CheckInDenial'] }>;
  LeaderboardConnection: ResolverTypeWrapper<Omit<LeaderboardConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['LeaderboardEdge']>, nodes: Array<ResolversTypes['LeaderboardEntry']> }>;
  LeaderboardEdge: ResolverTypeWrapper<Omit<LeaderboardEdge, 'node'> & { node: ResolversTypes['LeaderboardEntry'] }>;
  PostConnection: ResolverTypeWrapper<Omit<PostConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['PostEdge']>, nodes: Array<ResolversTypes['Post']> }>;
  PostEdge: ResolverTypeWrapper<Omit<PostEdge, 'node'> & { node: ResolversTypes['Post'] }>;
  CommentConnection: ResolverTypeWrapper<Omit<CommentConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['CommentEdge']>, nodes: Array<ResolversTypes['Comment']> }>;
  CommentEdge: ResolverTypeWrapper<Omit<CommentEdge, 'node'> & { node: ResolversTypes['Comment'] }>;
  PostReportConnection: ResolverTypeWrapper<Omit<PostReportConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['PostReportEdge']>, nodes: Array<ResolversTypes['PostReport']> }>;
  PostReportEdge: ResolverTypeWrapper<Omit<PostReportEdge, 'node'> & { node: ResolversTypes['PostReport'] }>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  CreateGymInput: CreateGymInput;
  UpdateGymConfigInput: UpdateGymConfigInput;
  SaveGymConfigDraftInput: SaveGymConfigDraftInput;
  RollbackGymConfigInput: RollbackGymConfigInput;
  CreateLocationInput: CreateLocationInput;
  UpdateLocationInput: UpdateLocationInput;
  CheckInInput: CheckInInput;
  CheckOutInput: CheckOutInput;
  CreateChallengeInput: CreateChallengeInput;
  CreateAnnouncementInput: CreateAnnouncementInput;
  CreatePostInput: CreatePostInput;
  CommentPostInput: CommentPostInput;
  ReportPostInput: ReportPostInput;
  SetGymProductsInput: SetGymProductsInput;
  GymProductInput: GymProductInput;
  SetGymProgramsInput: SetGymProgramsInput;
  GymProgramInput: GymProgramInput;
  User: ResolverTypeWrapper<UserModel>;
  Product: ResolverTypeWrapper<ProductModel>;
  WorkoutRoutine: ResolverTypeWrapper<WorkoutRoutineModel>;
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
  Mutation: Record<PropertyKey, never>;
  Boolean: Scalars['Boolean']['output'];
  Subscription: Record<PropertyKey, never>;
  Gym: GymModel;
  GymConfig: GymConfigModel;
  GymConfigDraft: GymConfigDraftModel;
  Location: LocationModel;
  Occupancy: OccupancyModel;
  OccupancySample: OccupancySample;
  CheckIn: CheckInModel;
  CheckInDenial: CheckInDenialModel;
  Challenge: ChallengeModel;
  LeaderboardEntry: LeaderboardEntryModel;
  Announcement: AnnouncementModel;
  Post: PostModel;
  Comment: CommentModel;
  PostReport: PostReportModel;
  GymProduct: GymProductModel;
  GymProgram: GymProgramModel;
  GymConfigConnection: Omit<GymConfigConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['GymConfigEdge']>, nodes: Array<ResolversParentTypes['GymConfig']> };
  GymConfigEdge: Omit<GymConfigEdge, 'node'> & { node: ResolversParentTypes['GymConfig'] };
  CheckInConnection: Omit<CheckInConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['CheckInEdge']>, nodes: Array<ResolversParentTypes['CheckIn']> };
  CheckInEdge: Omit<CheckInEdge, 'node'> & { node: ResolversParentTypes['CheckIn'] };
  CheckInDenialConnection: Omit<CheckInDenialConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['CheckInDenialEdge']>, nodes: Array<ResolversParentTypes['CheckInDenial']> };
  CheckInDenialEdge: Omit<CheckInDenialEdge, 'node'> & { node: ResolversParentTypes['CheckInDenial'] };
  LeaderboardConnection: Omit<LeaderboardConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['LeaderboardEdge']>, nodes: Array<ResolversParentTypes['LeaderboardEntry']> };
  LeaderboardEdge: Omit<LeaderboardEdge, 'node'> & { node: ResolversParentTypes['LeaderboardEntry'] };
  PostConnection: Omit<PostConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['PostEdge']>, nodes: Array<ResolversParentTypes['Post']> };
  PostEdge: Omit<PostEdge, 'node'> & { node: ResolversParentTypes['Post'] };
  CommentConnection: Omit<CommentConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['CommentEdge']>, nodes: Array<ResolversParentTypes['Comment']> };
  CommentEdge: Omit<CommentEdge, 'node'> & { node: ResolversParentTypes['Comment'] };
  PostReportConnection: Omit<PostReportConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['PostReportEdge']>, nodes: Array<ResolversParentTypes['PostReport']> };
  PostReportEdge: Omit<PostReportEdge, 'node'> & { node: ResolversParentTypes['PostReport'] };
  PageInfo: PageInfo;
  CreateGymInput: CreateGymInput;
  UpdateGymConfigInput: UpdateGymConfigInput;
  SaveGymConfigDraftInput: SaveGymConfigDraftInput;
  RollbackGymConfigInput: RollbackGymConfigInput;
  CreateLocationInput: CreateLocationInput;
  UpdateLocationInput: UpdateLocationInput;
  CheckInInput: CheckInInput;
  CheckOutInput: CheckOutInput;
  CreateChallengeInput: CreateChallengeInput;
  CreateAnnouncementInput: CreateAnnouncementInput;
  CreatePostInput: CreatePostInput;
  CommentPostInput: CommentPostInput;
  ReportPostInput: ReportPostInput;
  SetGymProductsInput: SetGymProductsInput;
  GymProductInput: GymProductInput;
  SetGymProgramsInput: SetGymProgramsInput;
  GymProgramInput: GymProgramInput;
  User: UserModel;
  Product: ProductModel;
  WorkoutRoutine: WorkoutRoutineModel;
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
  gym?: Resolver<Maybe<ResolversTypes['Gym']>, ParentType, ContextType, Partial<QueryGymArgs>>;
  gyms?: Resolver<Maybe<Array<ResolversTypes['Gym']>>, ParentType, ContextType, Partial<QueryGymsArgs>>;
  gymConfig?: Resolver<Maybe<ResolversTypes['GymConfig']>, ParentType, ContextType, RequireFields<QueryGymConfigArgs, 'gymId'>>;
  gymConfigDraft?: Resolver<Maybe<ResolversTypes['GymConfigDraft']>, ParentType, ContextType, RequireFields<QueryGymConfigDraftArgs, 'gymId'>>;
  gymConfigHistory?: Resolver<Maybe<ResolversTypes['GymConfigConnection']>, ParentType, ContextType, RequireFields<QueryGymConfigHistoryArgs, 'gymId'>>;
  designTokens?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType, RequireFields<QueryDesignTokensArgs, 'gymId'>>;
  locations?: Resolver<Maybe<Array<ResolversTypes['Location']>>, ParentType, ContextType, Partial<QueryLocationsArgs>>;
  location?: Resolver<Maybe<ResolversTypes['Location']>, ParentType, ContextType, RequireFields<QueryLocationArgs, 'id'>>;
  checkInDenials?: Resolver<Maybe<ResolversTypes['CheckInDenialConnection']>, ParentType, ContextType, RequireFields<QueryCheckInDenialsArgs, 'locationId'>>;
  challenges?: Resolver<Maybe<Array<ResolversTypes['Challenge']>>, ParentType, ContextType, Partial<QueryChallengesArgs>>;
  challenge?: Resolver<Maybe<ResolversTypes['Challenge']>, ParentType, ContextType, RequireFields<QueryChallengeArgs, 'id'>>;
  announcements?: Resolver<Maybe<Array<ResolversTypes['Announcement']>>, ParentType, ContextType, Partial<QueryAnnouncementsArgs>>;
  posts?: Resolver<Maybe<ResolversTypes['PostConnection']>, ParentType, ContextType, Partial<QueryPostsArgs>>;
  post?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<QueryPostArgs, 'id'>>;
  postReports?: Resolver<Maybe<ResolversTypes['PostReportConnection']>, ParentType, ContextType, Partial<QueryPostReportsArgs>>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createGym?: Resolver<Maybe<ResolversTypes['Gym']>, ParentType, ContextType, RequireFields<MutationCreateGymArgs, 'input'>>;
  updateGymConfig?: Resolver<Maybe<ResolversTypes['GymConfig']>, ParentType, ContextType, RequireFields<MutationUpdateGymConfigArgs, 'input'>>;
  saveGymConfigDraft?: Resolver<Maybe<ResolversTypes['GymConfigDraft']>, ParentType, ContextType, RequireFields<MutationSaveGymConfigDraftArgs, 'input'>>;
  publishGymConfigDraft?: Resolver<Maybe<ResolversTypes['GymConfig']>, ParentType, ContextType, RequireFields<MutationPublishGymConfigDraftArgs, 'gymId'>>;
  rollbackGymConfig?: Resolver<Maybe<ResolversTypes['GymConfig']>, ParentType, ContextType, RequireFields<MutationRollbackGymConfigArgs, 'input'>>;
  createLocation?: Resolver<Maybe<ResolversTypes['Location']>, ParentType, ContextType, RequireFields<MutationCreateLocationArgs, 'input'>>;
  updateLocation?: Resolver<Maybe<ResolversTypes['Location']>, ParentType, ContextType, RequireFields<MutationUpdateLocationArgs, 'input'>>;
  checkIn?: Resolver<Maybe<ResolversTypes['CheckIn']>, ParentType, ContextType, RequireFields<MutationCheckInArgs, 'input'>>;
  checkOut?: Resolver<Maybe<ResolversTypes['CheckIn']>, ParentType, ContextType, Partial<MutationCheckOutArgs>>;
  undoCheckIn?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationUndoCheckInArgs, 'id'>>;
  createChallenge?: Resolver<Maybe<ResolversTypes['Challenge']>, ParentType, ContextType, RequireFields<MutationCreateChallengeArgs, 'input'>>;
  joinChallenge?: Resolver<Maybe<ResolversTypes['Challenge']>, ParentType, ContextType, RequireFields<MutationJoinChallengeArgs, 'id'>>;
  leaveChallenge?: Resolver<Maybe<ResolversTypes['Challenge']>, ParentType, ContextType, RequireFields<MutationLeaveChallengeArgs, 'id'>>;
  addChallengeProgress?: Resolver<Maybe<ResolversTypes['Challenge']>, ParentType, ContextType, RequireFields<MutationAddChallengeProgressArgs, 'id' | 'amount'>>;
  createAnnouncement?: Resolver<Maybe<ResolversTypes['Announcement']>, ParentType, ContextType, RequireFields<MutationCreateAnnouncementArgs, 'input'>>;
  deleteAnnouncement?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteAnnouncementArgs, 'id'>>;
  createPost?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<MutationCreatePostArgs, 'input'>>;
  deletePost?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeletePostArgs, 'id'>>;
  likePost?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<MutationLikePostArgs, 'id'>>;
  unlikePost?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<MutationUnlikePostArgs, 'id'>>;
  commentPost?: Resolver<Maybe<ResolversTypes['Comment']>, ParentType, ContextType, RequireFields<MutationCommentPostArgs, 'input'>>;
  reportPost?: Resolver<Maybe<ResolversTypes['PostReport']>, ParentType, ContextType, RequireFields<MutationReportPostArgs, 'input'>>;
  setGymProducts?: Resolver<Maybe<Array<ResolversTypes['GymProduct']>>, ParentType, ContextType, RequireFields<MutationSetGymProductsArgs, 'input'>>;
  setGymPrograms?: Resolver<Maybe<Array<ResolversTypes['GymProgram']>>, ParentType, ContextType, RequireFields<MutationSetGymProgramsArgs, 'input'>>;
};

export type SubscriptionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  occupancyChanged?: SubscriptionResolver<Maybe<ResolversTypes['Occupancy']>, "occupancyChanged", ParentType, ContextType, RequireFields<SubscriptionOccupancyChangedArgs, 'locationId'>>;
};

export type GymResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Gym'] = ResolversParentTypes['Gym'], FederationReferenceType extends FederationReferenceTypes['Gym'] = FederationReferenceTypes['Gym']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Gym']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  slug?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  config?: Resolver<ResolversTypes['GymConfig'], ParentType, ContextType>;
  locations?: Resolver<Maybe<Array<ResolversTypes['Location']>>, ParentType, ContextType>;
  challenges?: Resolver<Maybe<Array<ResolversTypes['Challenge']>>, ParentType, ContextType>;
  announcements?: Resolver<Maybe<Array<ResolversTypes['Announcement']>>, ParentType, ContextType>;
  posts?: Resolver<Maybe<ResolversTypes['PostConnection']>, ParentType, ContextType, Partial<GymPostsArgs>>;
  products?: Resolver<Maybe<Array<ResolversTypes['GymProduct']>>, ParentType, ContextType>;
  programs?: Resolver<Maybe<Array<ResolversTypes['GymProgram']>>, ParentType, ContextType>;
};

export type GymConfigResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GymConfig'] = ResolversParentTypes['GymConfig']> = {
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  theme?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  assets?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  features?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type GymConfigDraftResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GymConfigDraft'] = ResolversParentTypes['GymConfigDraft']> = {
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  theme?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  assets?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  features?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  basedOnVersion?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type LocationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Location'] = ResolversParentTypes['Location'], FederationReferenceType extends FederationReferenceTypes['Location'] = FederationReferenceTypes['Location']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Location']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gym?: Resolver<ResolversTypes['Gym'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  timezone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  capacity?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxStayMinutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  openingHours?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  occupancy?: Resolver<ResolversTypes['Occupancy'], ParentType, ContextType>;
  occupancyHistory?: Resolver<Array<ResolversTypes['OccupancySample']>, ParentType, ContextType, Partial<LocationOccupancyHistoryArgs>>;
};

export type OccupancyResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Occupancy'] = ResolversParentTypes['Occupancy']> = {
  location?: Resolver<ResolversTypes['Location'], ParentType, ContextType>;
  people?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  capacity?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  percent?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  level?: Resolver<ResolversTypes['OccupancyLevel'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type OccupancySampleResolvers<ContextType = Context, ParentType extends ResolversParentTypes['OccupancySample'] = ResolversParentTypes['OccupancySample']> = {
  from?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  peak?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  checkIns?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CheckInResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CheckIn'] = ResolversParentTypes['CheckIn'], FederationReferenceType extends FederationReferenceTypes['CheckIn'] = FederationReferenceTypes['CheckIn']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['CheckIn']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  userId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  locationId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  location?: Resolver<Maybe<ResolversTypes['Location']>, ParentType, ContextType>;
  checkedInAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  checkedOutAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  method?: Resolver<ResolversTypes['CheckInMethod'], ParentType, ContextType>;
  duplicate?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type CheckInDenialResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CheckInDenial'] = ResolversParentTypes['CheckInDenial']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  locationId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  userId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  presentedBy?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  deniedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ChallengeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Challenge'] = ResolversParentTypes['Challenge'], FederationReferenceType extends FederationReferenceTypes['Challenge'] = FederationReferenceTypes['Challenge']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Challenge']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  metric?: Resolver<ResolversTypes['ChallengeMetric'], ParentType, ContextType>;
  goal?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  startsAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endsAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  joined?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  score?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  leaderboard?: Resolver<ResolversTypes['LeaderboardConnection'], ParentType, ContextType, Partial<ChallengeLeaderboardArgs>>;
  ownRank?: Resolver<Maybe<ResolversTypes['LeaderboardEntry']>, ParentType, ContextType>;
};

export type LeaderboardEntryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['LeaderboardEntry'] = ResolversParentTypes['LeaderboardEntry']> = {
  rank?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  userId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  score?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  reachedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type AnnouncementResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Announcement'] = ResolversParentTypes['Announcement']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  author?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  startsAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endsAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type PostResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Post'] = ResolversParentTypes['Post'], FederationReferenceType extends FederationReferenceTypes['Post'] = FederationReferenceTypes['Post']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Post']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  author?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  likeCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  likes?: Resolver<Array<Maybe<ResolversTypes['User']>>, ParentType, ContextType, RequireFields<PostLikesArgs, 'first'>>;
  likedByMe?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  commentCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  comments?: Resolver<ResolversTypes['CommentConnection'], ParentType, ContextType, Partial<PostCommentsArgs>>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type CommentResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Comment'] = ResolversParentTypes['Comment']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  postId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  author?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type PostReportResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PostReport'] = ResolversParentTypes['PostReport']> = {
  postId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  post?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType>;
  reporter?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type GymProductResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GymProduct'] = ResolversParentTypes['GymProduct']> = {
  product?: Resolver<Maybe<ResolversTypes['Product']>, ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  currency?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  stock?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type GymProgramResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GymProgram'] = ResolversParentTypes['GymProgram']> = {
  routine?: Resolver<Maybe<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType>;
  note?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type GymConfigConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GymConfigConnection'] = ResolversParentTypes['GymConfigConnection']> = {
  edges?: Resolver<Array<ResolversTypes['GymConfigEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['GymConfig']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type GymConfigEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GymConfigEdge'] = ResolversParentTypes['GymConfigEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['GymConfig'], ParentType, ContextType>;
};

export type CheckInConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CheckInConnection'] = ResolversParentTypes['CheckInConnection']> = {
  edges?: Resolver<Array<ResolversTypes['CheckInEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['CheckIn']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type CheckInEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CheckInEdge'] = ResolversParentTypes['CheckInEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['CheckIn'], ParentType, ContextType>;
};

export type CheckInDenialConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CheckInDenialConnection'] = ResolversParentTypes['CheckInDenialConnection']> = {
  edges?: Resolver<Array<ResolversTypes['CheckInDenialEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['CheckInDenial']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type CheckInDenialEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CheckInDenialEdge'] = ResolversParentTypes['CheckInDenialEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['CheckInDenial'], ParentType, ContextType>;
};

export type LeaderboardConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['LeaderboardConnection'] = ResolversParentTypes['LeaderboardConnection']> = {
  edges?: Resolver<Array<ResolversTypes['LeaderboardEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['LeaderboardEntry']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type LeaderboardEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['LeaderboardEdge'] = ResolversParentTypes['LeaderboardEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['LeaderboardEntry'], ParentType, ContextType>;
};

export type PostConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PostConnection'] = ResolversParentTypes['PostConnection']> = {
  edges?: Resolver<Array<ResolversTypes['PostEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Post']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type PostEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PostEdge'] = ResolversParentTypes['PostEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Post'], ParentType, ContextType>;
};

export type CommentConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CommentConnection'] = ResolversParentTypes['CommentConnection']> = {
  edges?: Resolver<Array<ResolversTypes['CommentEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Comment']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type CommentEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CommentEdge'] = ResolversParentTypes['CommentEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Comment'], ParentType, ContextType>;
};

export type PostReportConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PostReportConnection'] = ResolversParentTypes['PostReportConnection']> = {
  edges?: Resolver<Array<ResolversTypes['PostReportEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['PostReport']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type PostReportEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PostReportEdge'] = ResolversParentTypes['PostReportEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['PostReport'], ParentType, ContextType>;
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
  gym?: Resolver<Maybe<ResolversTypes['Gym']>, ParentType, ContextType>;
  checkIns?: Resolver<Maybe<ResolversTypes['CheckInConnection']>, ParentType, ContextType, Partial<UserCheckInsArgs>>;
  currentCheckIn?: Resolver<Maybe<ResolversTypes['CheckIn']>, ParentType, ContextType>;
};

export type ProductResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Product'] = ResolversParentTypes['Product']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type WorkoutRoutineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WorkoutRoutine'] = ResolversParentTypes['WorkoutRoutine']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type Resolvers<ContextType = Context> = {
  DateTime?: GraphQLScalarType;
  JSON?: GraphQLScalarType;
  Upload?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  Gym?: GymResolvers<ContextType>;
  GymConfig?: GymConfigResolvers<ContextType>;
  GymConfigDraft?: GymConfigDraftResolvers<ContextType>;
  Location?: LocationResolvers<ContextType>;
  Occupancy?: OccupancyResolvers<ContextType>;
  OccupancySample?: OccupancySampleResolvers<ContextType>;
  CheckIn?: CheckInResolvers<ContextType>;
  CheckInDenial?: CheckInDenialResolvers<ContextType>;
  Challenge?: ChallengeResolvers<ContextType>;
  LeaderboardEntry?: LeaderboardEntryResolvers<ContextType>;
  Announcement?: AnnouncementResolvers<ContextType>;
  Post?: PostResolvers<ContextType>;
  Comment?: CommentResolvers<ContextType>;
  PostReport?: PostReportResolvers<ContextType>;
  GymProduct?: GymProductResolvers<ContextType>;
  GymProgram?: GymProgramResolvers<ContextType>;
  GymConfigConnection?: GymConfigConnectionResolvers<ContextType>;
  GymConfigEdge?: GymConfigEdgeResolvers<ContextType>;
  CheckInConnection?: CheckInConnectionResolvers<ContextType>;
  CheckInEdge?: CheckInEdgeResolvers<ContextType>;
  CheckInDenialConnection?: CheckInDenialConnectionResolvers<ContextType>;
  CheckInDenialEdge?: CheckInDenialEdgeResolvers<ContextType>;
  LeaderboardConnection?: LeaderboardConnectionResolvers<ContextType>;
  LeaderboardEdge?: LeaderboardEdgeResolvers<ContextType>;
  PostConnection?: PostConnectionResolvers<ContextType>;
  PostEdge?: PostEdgeResolvers<ContextType>;
  CommentConnection?: CommentConnectionResolvers<ContextType>;
  CommentEdge?: CommentEdgeResolvers<ContextType>;
  PostReportConnection?: PostReportConnectionResolvers<ContextType>;
  PostReportEdge?: PostReportEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  Product?: ProductResolvers<ContextType>;
  WorkoutRoutine?: WorkoutRoutineResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = Context> = {
  sameForGym?: SameForGymDirectiveResolver<any, any, ContextType>;
};
