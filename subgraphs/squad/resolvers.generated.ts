// Written by "npm run generate" from schema/ and models.ts. Do not edit.
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { DoneSet as DoneSetModel, FeedItem as FeedItemModel, Group as GroupModel, OnlineUser as OnlineUserModel, OnlineUsersUpdate as OnlineUsersUpdateModel, SquadInvite as SquadInviteModel, SquadMessage as SquadMessageModel, SquadMessageReport as SquadMessageReportModel, SquadParticipant as SquadParticipantModel, SquadSession as SquadSessionModel, SquadWorkout as SquadWorkoutModel, User as UserModel, WorkoutRoutine as WorkoutRoutineModel } from './models.ts';
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
  _FieldSet: { input: unknown; output: unknown; }
};

export type Query = {
  __typename?: 'Query';
  /**
   * Who of your gym is online now, each since when, the longest first; without those who are invisible or blocked.
   * A SUPER_ADMIN names any gym by `gymId`.
   */
  onlineUsers: Maybe<Array<OnlineUser>>;
  /** The clubs of your gym, by name. A SUPER_ADMIN names any gym by `gymId`. */
  groups: Maybe<Array<Group>>;
  /** A squad that you have entered and not left; for everybody else, invited or not, `NOT_FOUND`. */
  squadSession: Maybe<SquadSession>;
  /** The open squads that you take part in, newest first. */
  mySquads: Maybe<Array<SquadSession>>;
  /** Invites to you, or from you; newest first. */
  squadInvites: Maybe<SquadInviteConnection>;
  /** The chat of a squad that you have entered and not left; newest first. */
  chatMessages: Maybe<SquadMessageConnection>;
  /** Reported messages of squads, latest report first. For staff of the gym; a SUPER_ADMIN names any gym by `gymId`. */
  squadReports: Maybe<SquadMessageReportConnection>;
  /**
   * What happens in your gym: its posts and announcements, and what its squads and clubs do; newest first.
   * While the gym service does not answer, only the latter, and `complete` is false. A SUPER_ADMIN names any gym by
   * `gymId`.
   */
  feed: Maybe<FeedConnection>;
  /** Whom you have blocked. */
  blockedUsers: Maybe<Array<Maybe<User>>>;
};


export type QueryOnlineUsersArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};


export type QueryGroupsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};


export type QuerySquadSessionArgs = {
  id: Scalars['ID']['input'];
};


export type QuerySquadInvitesArgs = {
  box?: InputMaybe<InviteBox>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryChatMessagesArgs = {
  squadId: Scalars['ID']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QuerySquadReportsArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};


export type QueryFeedArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Announces your presence to your gym, or changes it. You stay online as long as a socket or a subscription of yours is
   * open, and 30 seconds beyond the last. What is absent stays as it was.
   */
  goOnline: Maybe<Presence>;
  /** Founds a club in your gym; you are its first member. */
  createGroup: Maybe<Group>;
  joinGroup: Maybe<Group>;
  /** A club whose last member leaves is gone. */
  leaveGroup: Maybe<Group>;
  /**
   * Opens a squad in LOBBY; you are its host. It trains the version that the routine has now. You may host at most 5 open
   * squads. A LOBBY ends by itself after an hour without anybody.
   */
  createSquad: Maybe<SquadSession>;
  /**
   * Invites a member of your gym to train with you. Without a `squadId` it is for a LOBBY of yours that nobody else has
   * entered; one is opened if there is none. An open invite of yours to the same squad is given again.
   */
  sendSquadInvite: Maybe<SquadInvite>;
  /**
   * Accepts or declines. Accepting gives the right to join until the squad ends, you leave it or are put out; joining is a
   * step of its own.
   */
  respondToSquadInvite: Maybe<SquadInvite>;
  /** Takes back an invite that you have sent. */
  revokeSquadInvite: Maybe<Scalars['Boolean']['output']>;
  /** Enters a squad that you are invited to; who is in it already stays so. */
  joinSquad: Maybe<SquadSession>;
  /**
   * The host's leaving hands over to the one who is there longest; the last one's ends the squad. It takes a new invite to
   * come back, for the host too.
   */
  leaveSquad: Maybe<SquadSession>;
  /** Starts the workout, or goes on after a pause. For the host. */
  startSquad: Maybe<SquadSession>;
  /** For the host. */
  pauseSquad: Maybe<SquadSession>;
  /** Ends the workout; it goes into everybody's history. For the host. */
  endSquad: Maybe<SquadSession>;
  /** Puts a participant out, or takes an invitee the right to enter. For the host. */
  kickFromSquad: Maybe<SquadSession>;
  /** Makes another participant the host. For the host. */
  makeSquadHost: Maybe<SquadSession>;
  /**
   * Says where you are in the workout. The first update of anybody starts a squad that is in LOBBY. An `eventId` that was
   * sent before changes nothing, an update that comes late moves nobody back, and a set that was done before is corrected
   * and not counted again.
   */
  updateSquadWorkout: Maybe<SquadSession>;
  /** Writes to a squad. A `clientId` that you have used before in this squad gives the message of then. */
  sendSquadMessage: Maybe<SquadMessage>;
  /** Deletes a message of yours: it stays in its place without its text. */
  deleteSquadMessage: Maybe<Scalars['Boolean']['output']>;
  /**
   * Reports a message to the staff of the gym, also after you have left the squad. A second report of the same message
   * replaces the first.
   */
  reportSquadMessage: Maybe<SquadMessageReport>;
  /** The two of you no longer see each other online, cannot invite each other, and no longer train together. */
  blockUser: Maybe<User>;
  unblockUser: Maybe<User>;
};


export type MutationGoOnlineArgs = {
  input?: InputMaybe<GoOnlineInput>;
};


export type MutationCreateGroupArgs = {
  input: CreateGroupInput;
};


export type MutationJoinGroupArgs = {
  input: GroupInput;
};


export type MutationLeaveGroupArgs = {
  input: GroupInput;
};


export type MutationCreateSquadArgs = {
  input?: InputMaybe<CreateSquadInput>;
};


export type MutationSendSquadInviteArgs = {
  input: SendSquadInviteInput;
};


export type MutationRespondToSquadInviteArgs = {
  input: RespondToSquadInviteInput;
};


export type MutationRevokeSquadInviteArgs = {
  input: RevokeSquadInviteInput;
};


export type MutationJoinSquadArgs = {
  input: SquadInput;
};


export type MutationLeaveSquadArgs = {
  input: SquadInput;
};


export type MutationStartSquadArgs = {
  input: SquadInput;
};


export type MutationPauseSquadArgs = {
  input: SquadInput;
};


export type MutationEndSquadArgs = {
  input: SquadInput;
};


export type MutationKickFromSquadArgs = {
  input: SquadMemberInput;
};


export type MutationMakeSquadHostArgs = {
  input: SquadMemberInput;
};


export type MutationUpdateSquadWorkoutArgs = {
  input: UpdateSquadWorkoutInput;
};


export type MutationSendSquadMessageArgs = {
  input: SendSquadMessageInput;
};


export type MutationDeleteSquadMessageArgs = {
  input: SquadMessageInput;
};


export type MutationReportSquadMessageArgs = {
  input: ReportSquadMessageInput;
};


export type MutationBlockUserArgs = {
  input: BlockUserInput;
};


export type MutationUnblockUserArgs = {
  input: BlockUserInput;
};

export type Subscription = {
  __typename?: 'Subscription';
  /**
   * Who of your gym is online: everybody at first, then numbered updates, at most five a second.
   * An open subscription also keeps you online once you have gone online.
   */
  onlineUsersUpdated: Maybe<OnlineUsersUpdate>;
  /** Each invite to you: those that are open at first, then each new one. */
  squadInviteReceived: Maybe<SquadInvite>;
  /**
   * The session after each change. With `fromRevision` (the last one that you have) it begins with the session as it is,
   * if that is newer. Ends when you leave or are put out, or the squad ends.
   */
  squadUpdated: Maybe<SquadSession>;
  /**
   * Each message of a squad that you take part in, and each again that is deleted; with `fromSeq` (the last one that you
   * have) those after it first.
   */
  squadMessageAdded: Maybe<SquadMessage>;
};


export type SubscriptionOnlineUsersUpdatedArgs = {
  gymId?: InputMaybe<Scalars['ID']['input']>;
};


export type SubscriptionSquadUpdatedArgs = {
  squadId: Scalars['ID']['input'];
  fromRevision?: InputMaybe<Scalars['Int']['input']>;
};


export type SubscriptionSquadMessageAddedArgs = {
  squadId: Scalars['ID']['input'];
  fromSeq?: InputMaybe<Scalars['Int']['input']>;
};

/** What others see of a user's presence. */
export type PresenceStatus =
  /** Ready to train with others. */
  | 'AVAILABLE'
  /** Online, and busy with a workout. */
  | 'WORKING_OUT'
  /** Online, but shown to nobody else. */
  | 'INVISIBLE'
  /** Not online, whatever connections there are, until another status is chosen. Nobody is shown with this status. */
  | 'OFFLINE';

/** A member who is online. */
export type OnlineUser = {
  __typename?: 'OnlineUser';
  /** Null once the account is deleted, and for whom you may not see. */
  user: Maybe<User>;
  status: PresenceStatus;
  /** What the member is doing, in their own words. */
  activity: Maybe<Scalars['String']['output']>;
  /** Since when others can see the member. */
  since: Scalars['DateTime']['output'];
};

/** Whether a user is online, as far as you may see it. */
export type Presence = {
  __typename?: 'Presence';
  online: Scalars['Boolean']['output'];
  /** Null while offline. */
  status: Maybe<PresenceStatus>;
  activity: Maybe<Scalars['String']['output']>;
  /** Since when others can see the user; null while offline. */
  since: Maybe<Scalars['DateTime']['output']>;
};

/** The online users of a gym, as they change. */
export type OnlineUsersUpdate = {
  __typename?: 'OnlineUsersUpdate';
  /** Everybody, or (`full: false`) those who came or changed. */
  users: Array<OnlineUser>;
  /** Ids of those who went; empty if `full`. */
  removed: Array<Scalars['ID']['output']>;
  /** Whether `users` is the whole list. Above 100 online, updates say only what has changed. */
  full: Scalars['Boolean']['output'];
  /** Counts the updates of this subscription; if one is missing, subscribe again. With it, equal subscriptions are not shared. */
  seq: Scalars['Int']['output'];
};

export type GoOnlineInput = {
  /** Absent: the one that you have chosen last; `AVAILABLE` if none ever. */
  status?: InputMaybe<PresenceStatus>;
  /** What you are doing, in your own words; at most 140 characters. Absent: it stays; null: it is cleared. */
  activity?: InputMaybe<Scalars['String']['input']>;
};

/** A club of a gym: it lasts, whoever trains. */
export type Group = {
  __typename?: 'Group';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  name: Scalars['String']['output'];
  /** Null once the account is deleted, and for whom you may not see. */
  createdBy: Maybe<User>;
  /** Without those whom you may not see. */
  memberCount: Scalars['Int']['output'];
  /** Whether you are a member. */
  joined: Scalars['Boolean']['output'];
  /** In the order of joining, at most `first` of them (never more than 200), without those whom you may not see. */
  members: Array<Maybe<User>>;
  createdAt: Scalars['DateTime']['output'];
};


/** A club of a gym: it lasts, whoever trains. */
export type GroupMembersArgs = {
  first?: Scalars['Int']['input'];
};

export type CreateGroupInput = {
  /** Unique in the gym; at most 80 characters. */
  name: Scalars['String']['input'];
};

export type GroupInput = {
  groupId: Scalars['ID']['input'];
};

export type InviteStatus =
  | 'PENDING'
  | 'ACCEPTED'
  | 'DECLINED'
  /** Not answered in ten minutes. */
  | 'EXPIRED'
  /** Taken back by the sender, or by the end of the squad. */
  | 'REVOKED';

export type InviteBox =
  | 'RECEIVED'
  | 'SENT';

/** "Train with me": from one member of a gym to another. */
export type SquadInvite = {
  __typename?: 'SquadInvite';
  id: Scalars['ID']['output'];
  /** The squad that the invitation is for. */
  squadId: Scalars['ID']['output'];
  /** Null once the account is deleted, and for whom you may not see. */
  from: Maybe<User>;
  /** Null once the account is deleted, and for whom you may not see. */
  to: Maybe<User>;
  message: Maybe<Scalars['String']['output']>;
  status: InviteStatus;
  createdAt: Scalars['DateTime']['output'];
  expiresAt: Scalars['DateTime']['output'];
  respondedAt: Maybe<Scalars['DateTime']['output']>;
};

export type SquadInviteConnection = {
  __typename?: 'SquadInviteConnection';
  edges: Array<SquadInviteEdge>;
  nodes: Array<SquadInvite>;
  pageInfo: PageInfo;
};

export type SquadInviteEdge = {
  __typename?: 'SquadInviteEdge';
  cursor: Scalars['String']['output'];
  node: SquadInvite;
};

export type SquadStatus =
  /** Open, and the workout has not started. */
  | 'LOBBY'
  | 'ACTIVE'
  | 'PAUSED'
  | 'ENDED';

export type WorkoutPhase =
  | 'WORK'
  | 'REST'
  | 'DONE';

/** A squad that trains together now. The server owns its state; each change makes one revision. */
export type SquadSession = {
  __typename?: 'SquadSession';
  id: Scalars['ID']['output'];
  gymId: Scalars['ID']['output'];
  /** Null once the account is deleted, and for whom you may not see. */
  host: Maybe<User>;
  /**
   * The routine in the version that is trained, whatever became of it since; null for a free workout, or if the version is
   * not known.
   */
  routine: Maybe<WorkoutRoutine>;
  routineId: Maybe<Scalars['ID']['output']>;
  /** The version of the routine when the squad was opened. */
  routineVersion: Maybe<Scalars['Int']['output']>;
  /** Counts every change. */
  revision: Scalars['Int']['output'];
  status: SquadStatus;
  /** Everybody who takes or took part, in the order of entering. */
  participants: Array<SquadParticipant>;
  createdAt: Scalars['DateTime']['output'];
  startedAt: Maybe<Scalars['DateTime']['output']>;
  /** When the present pause began. */
  pausedAt: Maybe<Scalars['DateTime']['output']>;
  endedAt: Maybe<Scalars['DateTime']['output']>;
};

/** Somebody in a squad, and where they are in the workout. */
export type SquadParticipant = {
  __typename?: 'SquadParticipant';
  /** Null once the account is deleted, and for whom you may not see. */
  user: Maybe<User>;
  joinedAt: Scalars['DateTime']['output'];
  /** Null while they take part. */
  leftAt: Maybe<Scalars['DateTime']['output']>;
  /** Counts the exercises from 0: of a routine the entries of all blocks in their order. */
  exerciseIndex: Scalars['Int']['output'];
  setIndex: Scalars['Int']['output'];
  phase: WorkoutPhase;
  restEndsAt: Maybe<Scalars['DateTime']['output']>;
  lastSet: Maybe<DoneSet>;
  /** How many sets they have done, each counted once. */
  setsDone: Scalars['Int']['output'];
};

/** What was done in one set. */
export type DoneSet = {
  __typename?: 'DoneSet';
  reps: Maybe<Scalars['Int']['output']>;
  weightKg: Maybe<Scalars['Float']['output']>;
  durationSeconds: Maybe<Scalars['Float']['output']>;
  distanceMeters: Maybe<Scalars['Float']['output']>;
  /** How hard it was, 0 to 10. */
  rpe: Maybe<Scalars['Float']['output']>;
};

/** A message in the chat of a squad. */
export type SquadMessage = {
  __typename?: 'SquadMessage';
  id: Scalars['ID']['output'];
  squadId: Scalars['ID']['output'];
  /** Null once the account is deleted, and for whom you may not see. */
  user: Maybe<User>;
  /** Empty once the message is deleted. */
  text: Scalars['String']['output'];
  /** Whether its author has deleted it. */
  deleted: Scalars['Boolean']['output'];
  /** The sender's own id of the message. */
  clientId: Maybe<Scalars['String']['output']>;
  /** Counts the messages of the squad. */
  seq: Scalars['Int']['output'];
  sentAt: Scalars['DateTime']['output'];
};

export type SquadMessageConnection = {
  __typename?: 'SquadMessageConnection';
  edges: Array<SquadMessageEdge>;
  nodes: Array<SquadMessage>;
  pageInfo: PageInfo;
};

export type SquadMessageEdge = {
  __typename?: 'SquadMessageEdge';
  cursor: Scalars['String']['output'];
  node: SquadMessage;
};

/** A message of a squad that one of its readers has reported. */
export type SquadMessageReport = {
  __typename?: 'SquadMessageReport';
  squadId: Scalars['ID']['output'];
  messageId: Scalars['ID']['output'];
  /** Null once the account is deleted. */
  reporter: Maybe<User>;
  /** Null once the account is deleted. */
  author: Maybe<User>;
  /** What the message said when it was reported. */
  text: Scalars['String']['output'];
  reason: Maybe<Scalars['String']['output']>;
  createdAt: Scalars['DateTime']['output'];
};

export type SquadMessageReportConnection = {
  __typename?: 'SquadMessageReportConnection';
  edges: Array<SquadMessageReportEdge>;
  nodes: Array<SquadMessageReport>;
  pageInfo: PageInfo;
};

export type SquadMessageReportEdge = {
  __typename?: 'SquadMessageReportEdge';
  cursor: Scalars['String']['output'];
  node: SquadMessageReport;
};

export type FeedKind =
  | 'POST'
  | 'ANNOUNCEMENT'
  | 'SQUAD_FINISHED'
  | 'GROUP_CREATED';

/** Something that happened in a gym. */
export type FeedItem = {
  __typename?: 'FeedItem';
  /** That of the post, announcement, squad or group. */
  id: Scalars['ID']['output'];
  kind: FeedKind;
  at: Scalars['DateTime']['output'];
  /** Who wrote or did it. */
  user: Maybe<User>;
  /** An announcement's title. */
  title: Maybe<Scalars['String']['output']>;
  text: Scalars['String']['output'];
  /** Path of a post's picture: at the gateway `/gym/media/<file>`; at the squad service's own port `/media/<file>`, which the gym service serves. */
  image: Maybe<Scalars['String']['output']>;
  /** Of a squad workout: everybody who took part; null in the place of whom you may not see. */
  participants: Array<Maybe<User>>;
  group: Maybe<Group>;
};

export type FeedConnection = {
  __typename?: 'FeedConnection';
  edges: Array<FeedEdge>;
  nodes: Array<FeedItem>;
  pageInfo: PageInfo;
  /** False while the gym service does not answer: its posts and announcements are missing, so ask again. */
  complete: Scalars['Boolean']['output'];
};

export type FeedEdge = {
  __typename?: 'FeedEdge';
  cursor: Scalars['String']['output'];
  node: FeedItem;
};

export type CreateSquadInput = {
  routineId?: InputMaybe<Scalars['ID']['input']>;
};

export type SendSquadInviteInput = {
  toUserId: Scalars['ID']['input'];
  squadId?: InputMaybe<Scalars['ID']['input']>;
  /** At most 280 characters. */
  message?: InputMaybe<Scalars['String']['input']>;
};

export type RespondToSquadInviteInput = {
  inviteId: Scalars['ID']['input'];
  accept: Scalars['Boolean']['input'];
};

export type RevokeSquadInviteInput = {
  inviteId: Scalars['ID']['input'];
};

export type SquadInput = {
  squadId: Scalars['ID']['input'];
};

export type SquadMemberInput = {
  squadId: Scalars['ID']['input'];
  userId: Scalars['ID']['input'];
};

export type UpdateSquadWorkoutInput = {
  squadId: Scalars['ID']['input'];
  /** An id of your own, by which a repeated event is recognised. */
  eventId: Scalars['ID']['input'];
  /** Counts the exercises from 0: of a routine the entries of all blocks in their order. */
  exerciseIndex: Scalars['Int']['input'];
  setIndex: Scalars['Int']['input'];
  /** Required if the squad has no routine; else that of the routine. */
  exerciseId?: InputMaybe<Scalars['ID']['input']>;
  phase: WorkoutPhase;
  /** The modality of the exercise decides which of its fields are legal. */
  set?: InputMaybe<DoneSetInput>;
  /** Within an hour of now. */
  restEndsAt?: InputMaybe<Scalars['DateTime']['input']>;
};

export type DoneSetInput = {
  reps?: InputMaybe<Scalars['Int']['input']>;
  weightKg?: InputMaybe<Scalars['Float']['input']>;
  durationSeconds?: InputMaybe<Scalars['Float']['input']>;
  distanceMeters?: InputMaybe<Scalars['Float']['input']>;
  rpe?: InputMaybe<Scalars['Float']['input']>;
};

export type SendSquadMessageInput = {
  squadId: Scalars['ID']['input'];
  /** At most 2,000 characters. */
  text: Scalars['String']['input'];
  clientId?: InputMaybe<Scalars['ID']['input']>;
};

export type SquadMessageInput = {
  squadId: Scalars['ID']['input'];
  messageId: Scalars['ID']['input'];
};

export type ReportSquadMessageInput = {
  squadId: Scalars['ID']['input'];
  messageId: Scalars['ID']['input'];
  /** At most 500 characters. */
  reason?: InputMaybe<Scalars['String']['input']>;
};

export type BlockUserInput = {
  userId: Scalars['ID']['input'];
};

/** A workout that the user did in a squad, over all of their stays in it. */
export type SquadWorkout = {
  __typename?: 'SquadWorkout';
  squadId: Scalars['ID']['output'];
  /**
   * The routine in the version that was trained, whatever became of it since; null for a free workout, or if the version is
   * not known.
   */
  routine: Maybe<WorkoutRoutine>;
  routineId: Maybe<Scalars['ID']['output']>;
  routineVersion: Maybe<Scalars['Int']['output']>;
  /** When the user began: the start of the squad, or their entering if it was later. */
  startedAt: Scalars['DateTime']['output'];
  /** When the user left, or the squad ended. */
  endedAt: Scalars['DateTime']['output'];
  /** Minutes that the user trained, without LOBBY and pauses. */
  minutes: Scalars['Int']['output'];
  /** How many sets the user did. */
  sets: Scalars['Int']['output'];
  /** The training that was made of the sets. */
  trainingId: Maybe<Scalars['ID']['output']>;
  /** Everybody who had taken part by then, the user included; null in the place of a person whom you may not see. */
  participants: Array<Maybe<User>>;
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
  /**
   * Whether the user is online. To other gyms, and between users of whom one has blocked the other, everybody is offline.
   * Null where your gym has switched squads off.
   */
  presence: Maybe<Presence>;
  /** The user's past squad workouts, newest first; for themselves only, null for everybody else. */
  squadHistory: Maybe<SquadWorkoutConnection>;
};


export type UserSquadHistoryArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
};

export type WorkoutRoutine = {
  __typename?: 'WorkoutRoutine';
  versionId: Scalars['ID']['output'];
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
  SquadSession: SquadSession;
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Group:
    ( { __typename: 'Group' }
    & GraphQLRecursivePick<FederationTypes['Group'], {"id":true}> );
  SquadSession:
    ( { __typename: 'SquadSession' }
    & GraphQLRecursivePick<FederationTypes['SquadSession'], {"id":true}> );
  User:
    ( { __typename: 'User' }
    & GraphQLRecursivePick<FederationTypes['User'], {"id":true}> );
};



/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  PresenceStatus: PresenceStatus;
  OnlineUser: ResolverTypeWrapper<OnlineUserModel>;
  Presence: ResolverTypeWrapper<Presence>;
  OnlineUsersUpdate: ResolverTypeWrapper<OnlineUsersUpdateModel>;
  GoOnlineInput: GoOnlineInput;
  Group: ResolverTypeWrapper<GroupModel>;
  CreateGroupInput: CreateGroupInput;
  GroupInput: GroupInput;
  InviteStatus: InviteStatus;
  InviteBox: InviteBox;
  SquadInvite: ResolverTypeWrapper<SquadInviteModel>;
  SquadInviteConnection: ResolverTypeWrapper<Omit<SquadInviteConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['SquadInviteEdge']>, nodes: Array<ResolversTypes['SquadInvite']> }>;
  SquadInviteEdge: ResolverTypeWrapper<Omit<SquadInviteEdge, 'node'> & { node: ResolversTypes['SquadInvite'] }>;
  SquadStatus: SquadStatus;
  WorkoutPhase: WorkoutPhase;
  SquadSession: ResolverTypeWrapper<SquadSessionModel>;
  SquadParticipant: ResolverTypeWrapper<SquadParticipantModel>;
  DoneSet: ResolverTypeWrapper<DoneSetModel>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  SquadMessage: ResolverTypeWrapper<SquadMessageModel>;
  SquadMessageConnection: ResolverTypeWrapper<Omit<SquadMessageConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['SquadMessageEdge']>, nodes: Array<ResolversTypes['SquadMessage']> }>;
  SquadMessageEdge: ResolverTypeWrapper<Omit<SquadMessageEdge, 'node'> & { node: ResolversTypes['SquadMessage'] }>;
  SquadMessageReport: ResolverTypeWrapper<SquadMessageReportModel>;
  SquadMessageReportConnection: ResolverTypeWrapper<Omit<SquadMessageReportConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['SquadMessageReportEdge']>, nodes: Array<ResolversTypes['SquadMessageReport']> }>;
  SquadMessageReportEdge: ResolverTypeWrapper<Omit<SquadMessageReportEdge, 'node'> & { node: ResolversTypes['SquadMessageReport'] }>;
  FeedKind: FeedKind;
  FeedItem: ResolverTypeWrapper<FeedItemModel>;
  FeedConnection: ResolverTypeWrapper<Omit<FeedConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['FeedEdge']>, nodes: Array<ResolversTypes['FeedItem']> }>;
  FeedEdge: ResolverTypeWrapper<Omit<FeedEdge, 'node'> & { node: ResolversTypes['FeedItem'] }>;
  CreateSquadInput: CreateSquadInput;
  SendSquadInviteInput: SendSquadInviteInput;
  RespondToSquadInviteInput: RespondToSquadInviteInput;
  RevokeSquadInviteInput: RevokeSquadInviteInput;
  SquadInput: SquadInput;
  SquadMemberInput: SquadMemberInput;
  UpdateSquadWorkoutInput: UpdateSquadWorkoutInput;
  DoneSetInput: DoneSetInput;
  SendSquadMessageInput: SendSquadMessageInput;
  SquadMessageInput: SquadMessageInput;
  ReportSquadMessageInput: ReportSquadMessageInput;
  BlockUserInput: BlockUserInput;
  SquadWorkout: ResolverTypeWrapper<SquadWorkoutModel>;
  SquadWorkoutConnection: ResolverTypeWrapper<Omit<SquadWorkoutConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['SquadWorkoutEdge']>, nodes: Array<ResolversTypes['SquadWorkout']> }>;
  SquadWorkoutEdge: ResolverTypeWrapper<Omit<SquadWorkoutEdge, 'node'> & { node: ResolversTypes['SquadWorkout'] }>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  User: ResolverTypeWrapper<UserModel>;
  WorkoutRoutine: ResolverTypeWrapper<WorkoutRoutineModel>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  Query: Record<PropertyKey, never>;
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  String: Scalars['String']['output'];
  Mutation: Record<PropertyKey, never>;
  Boolean: Scalars['Boolean']['output'];
  Subscription: Record<PropertyKey, never>;
  OnlineUser: OnlineUserModel;
  Presence: Presence;
  OnlineUsersUpdate: OnlineUsersUpdateModel;
  GoOnlineInput: GoOnlineInput;
  Group: GroupModel;
  CreateGroupInput: CreateGroupInput;
  GroupInput: GroupInput;
  SquadInvite: SquadInviteModel;
  SquadInviteConnection: Omit<SquadInviteConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['SquadInviteEdge']>, nodes: Array<ResolversParentTypes['SquadInvite']> };
  SquadInviteEdge: Omit<SquadInviteEdge, 'node'> & { node: ResolversParentTypes['SquadInvite'] };
  SquadSession: SquadSessionModel;
  SquadParticipant: SquadParticipantModel;
  DoneSet: DoneSetModel;
  Float: Scalars['Float']['output'];
  SquadMessage: SquadMessageModel;
  SquadMessageConnection: Omit<SquadMessageConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['SquadMessageEdge']>, nodes: Array<ResolversParentTypes['SquadMessage']> };
  SquadMessageEdge: Omit<SquadMessageEdge, 'node'> & { node: ResolversParentTypes['SquadMessage'] };
  SquadMessageReport: SquadMessageReportModel;
  SquadMessageReportConnection: Omit<SquadMessageReportConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['SquadMessageReportEdge']>, nodes: Array<ResolversParentTypes['SquadMessageReport']> };
  SquadMessageReportEdge: Omit<SquadMessageReportEdge, 'node'> & { node: ResolversParentTypes['SquadMessageReport'] };
  FeedItem: FeedItemModel;
  FeedConnection: Omit<FeedConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['FeedEdge']>, nodes: Array<ResolversParentTypes['FeedItem']> };
  FeedEdge: Omit<FeedEdge, 'node'> & { node: ResolversParentTypes['FeedItem'] };
  CreateSquadInput: CreateSquadInput;
  SendSquadInviteInput: SendSquadInviteInput;
  RespondToSquadInviteInput: RespondToSquadInviteInput;
  RevokeSquadInviteInput: RevokeSquadInviteInput;
  SquadInput: SquadInput;
  SquadMemberInput: SquadMemberInput;
  UpdateSquadWorkoutInput: UpdateSquadWorkoutInput;
  DoneSetInput: DoneSetInput;
  SendSquadMessageInput: SendSquadMessageInput;
  SquadMessageInput: SquadMessageInput;
  ReportSquadMessageInput: ReportSquadMessageInput;
  BlockUserInput: BlockUserInput;
  SquadWorkout: SquadWorkoutModel;
  SquadWorkoutConnection: Omit<SquadWorkoutConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['SquadWorkoutEdge']>, nodes: Array<ResolversParentTypes['SquadWorkout']> };
  SquadWorkoutEdge: Omit<SquadWorkoutEdge, 'node'> & { node: ResolversParentTypes['SquadWorkout'] };
  PageInfo: PageInfo;
  User: UserModel;
  WorkoutRoutine: WorkoutRoutineModel;
};

export type SameForGymDirectiveArgs = { };

export type SameForGymDirectiveResolver<Result, Parent, ContextType = Context, Args = SameForGymDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  onlineUsers?: Resolver<Maybe<Array<ResolversTypes['OnlineUser']>>, ParentType, ContextType, Partial<QueryOnlineUsersArgs>>;
  groups?: Resolver<Maybe<Array<ResolversTypes['Group']>>, ParentType, ContextType, Partial<QueryGroupsArgs>>;
  squadSession?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<QuerySquadSessionArgs, 'id'>>;
  mySquads?: Resolver<Maybe<Array<ResolversTypes['SquadSession']>>, ParentType, ContextType>;
  squadInvites?: Resolver<Maybe<ResolversTypes['SquadInviteConnection']>, ParentType, ContextType, RequireFields<QuerySquadInvitesArgs, 'box'>>;
  chatMessages?: Resolver<Maybe<ResolversTypes['SquadMessageConnection']>, ParentType, ContextType, RequireFields<QueryChatMessagesArgs, 'squadId'>>;
  squadReports?: Resolver<Maybe<ResolversTypes['SquadMessageReportConnection']>, ParentType, ContextType, Partial<QuerySquadReportsArgs>>;
  feed?: Resolver<Maybe<ResolversTypes['FeedConnection']>, ParentType, ContextType, Partial<QueryFeedArgs>>;
  blockedUsers?: Resolver<Maybe<Array<Maybe<ResolversTypes['User']>>>, ParentType, ContextType>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  goOnline?: Resolver<Maybe<ResolversTypes['Presence']>, ParentType, ContextType, Partial<MutationGoOnlineArgs>>;
  createGroup?: Resolver<Maybe<ResolversTypes['Group']>, ParentType, ContextType, RequireFields<MutationCreateGroupArgs, 'input'>>;
  joinGroup?: Resolver<Maybe<ResolversTypes['Group']>, ParentType, ContextType, RequireFields<MutationJoinGroupArgs, 'input'>>;
  leaveGroup?: Resolver<Maybe<ResolversTypes['Group']>, ParentType, ContextType, RequireFields<MutationLeaveGroupArgs, 'input'>>;
  createSquad?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, Partial<MutationCreateSquadArgs>>;
  sendSquadInvite?: Resolver<Maybe<ResolversTypes['SquadInvite']>, ParentType, ContextType, RequireFields<MutationSendSquadInviteArgs, 'input'>>;
  respondToSquadInvite?: Resolver<Maybe<ResolversTypes['SquadInvite']>, ParentType, ContextType, RequireFields<MutationRespondToSquadInviteArgs, 'input'>>;
  revokeSquadInvite?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationRevokeSquadInviteArgs, 'input'>>;
  joinSquad?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationJoinSquadArgs, 'input'>>;
  leaveSquad?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationLeaveSquadArgs, 'input'>>;
  startSquad?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationStartSquadArgs, 'input'>>;
  pauseSquad?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationPauseSquadArgs, 'input'>>;
  endSquad?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationEndSquadArgs, 'input'>>;
  kickFromSquad?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationKickFromSquadArgs, 'input'>>;
  makeSquadHost?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationMakeSquadHostArgs, 'input'>>;
  updateSquadWorkout?: Resolver<Maybe<ResolversTypes['SquadSession']>, ParentType, ContextType, RequireFields<MutationUpdateSquadWorkoutArgs, 'input'>>;
  sendSquadMessage?: Resolver<Maybe<ResolversTypes['SquadMessage']>, ParentType, ContextType, RequireFields<MutationSendSquadMessageArgs, 'input'>>;
  deleteSquadMessage?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteSquadMessageArgs, 'input'>>;
  reportSquadMessage?: Resolver<Maybe<ResolversTypes['SquadMessageReport']>, ParentType, ContextType, RequireFields<MutationReportSquadMessageArgs, 'input'>>;
  blockUser?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationBlockUserArgs, 'input'>>;
  unblockUser?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<MutationUnblockUserArgs, 'input'>>;
};

export type SubscriptionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  onlineUsersUpdated?: SubscriptionResolver<Maybe<ResolversTypes['OnlineUsersUpdate']>, "onlineUsersUpdated", ParentType, ContextType, Partial<SubscriptionOnlineUsersUpdatedArgs>>;
  squadInviteReceived?: SubscriptionResolver<Maybe<ResolversTypes['SquadInvite']>, "squadInviteReceived", ParentType, ContextType>;
  squadUpdated?: SubscriptionResolver<Maybe<ResolversTypes['SquadSession']>, "squadUpdated", ParentType, ContextType, RequireFields<SubscriptionSquadUpdatedArgs, 'squadId'>>;
  squadMessageAdded?: SubscriptionResolver<Maybe<ResolversTypes['SquadMessage']>, "squadMessageAdded", ParentType, ContextType, RequireFields<SubscriptionSquadMessageAddedArgs, 'squadId'>>;
};

export type OnlineUserResolvers<ContextType = Context, ParentType extends ResolversParentTypes['OnlineUser'] = ResolversParentTypes['OnlineUser']> = {
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
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

export type OnlineUsersUpdateResolvers<ContextType = Context, ParentType extends ResolversParentTypes['OnlineUsersUpdate'] = ResolversParentTypes['OnlineUsersUpdate']> = {
  users?: Resolver<Array<ResolversTypes['OnlineUser']>, ParentType, ContextType>;
  removed?: Resolver<Array<ResolversTypes['ID']>, ParentType, ContextType>;
  full?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  seq?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type GroupResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Group'] = ResolversParentTypes['Group'], FederationReferenceType extends FederationReferenceTypes['Group'] = FederationReferenceTypes['Group']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Group']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdBy?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  memberCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  joined?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  members?: Resolver<Array<Maybe<ResolversTypes['User']>>, ParentType, ContextType, RequireFields<GroupMembersArgs, 'first'>>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type SquadInviteResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadInvite'] = ResolversParentTypes['SquadInvite']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  squadId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  from?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  message?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['InviteStatus'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  respondedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type SquadInviteConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadInviteConnection'] = ResolversParentTypes['SquadInviteConnection']> = {
  edges?: Resolver<Array<ResolversTypes['SquadInviteEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['SquadInvite']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type SquadInviteEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadInviteEdge'] = ResolversParentTypes['SquadInviteEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['SquadInvite'], ParentType, ContextType>;
};

export type SquadSessionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadSession'] = ResolversParentTypes['SquadSession'], FederationReferenceType extends FederationReferenceTypes['SquadSession'] = FederationReferenceTypes['SquadSession']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['SquadSession']> | FederationReferenceType, FederationReferenceType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  gymId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  host?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  routine?: Resolver<Maybe<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType>;
  routineId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  routineVersion?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['SquadStatus'], ParentType, ContextType>;
  participants?: Resolver<Array<ResolversTypes['SquadParticipant']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  pausedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  endedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type SquadParticipantResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadParticipant'] = ResolversParentTypes['SquadParticipant']> = {
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  joinedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  leftAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  exerciseIndex?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  setIndex?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  phase?: Resolver<ResolversTypes['WorkoutPhase'], ParentType, ContextType>;
  restEndsAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastSet?: Resolver<Maybe<ResolversTypes['DoneSet']>, ParentType, ContextType>;
  setsDone?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DoneSetResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DoneSet'] = ResolversParentTypes['DoneSet']> = {
  reps?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  weightKg?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  durationSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  distanceMeters?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  rpe?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type SquadMessageResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadMessage'] = ResolversParentTypes['SquadMessage']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  squadId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  deleted?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  clientId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  seq?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sentAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type SquadMessageConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadMessageConnection'] = ResolversParentTypes['SquadMessageConnection']> = {
  edges?: Resolver<Array<ResolversTypes['SquadMessageEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['SquadMessage']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type SquadMessageEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadMessageEdge'] = ResolversParentTypes['SquadMessageEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['SquadMessage'], ParentType, ContextType>;
};

export type SquadMessageReportResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadMessageReport'] = ResolversParentTypes['SquadMessageReport']> = {
  squadId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  messageId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  reporter?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  author?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type SquadMessageReportConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadMessageReportConnection'] = ResolversParentTypes['SquadMessageReportConnection']> = {
  edges?: Resolver<Array<ResolversTypes['SquadMessageReportEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['SquadMessageReport']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type SquadMessageReportEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadMessageReportEdge'] = ResolversParentTypes['SquadMessageReportEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['SquadMessageReport'], ParentType, ContextType>;
};

export type FeedItemResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FeedItem'] = ResolversParentTypes['FeedItem']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['FeedKind'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
  title?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  image?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  participants?: Resolver<Array<Maybe<ResolversTypes['User']>>, ParentType, ContextType>;
  group?: Resolver<Maybe<ResolversTypes['Group']>, ParentType, ContextType>;
};

export type FeedConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FeedConnection'] = ResolversParentTypes['FeedConnection']> = {
  edges?: Resolver<Array<ResolversTypes['FeedEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['FeedItem']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  complete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type FeedEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['FeedEdge'] = ResolversParentTypes['FeedEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['FeedItem'], ParentType, ContextType>;
};

export type SquadWorkoutResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SquadWorkout'] = ResolversParentTypes['SquadWorkout']> = {
  squadId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  routine?: Resolver<Maybe<ResolversTypes['WorkoutRoutine']>, ParentType, ContextType>;
  routineId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  routineVersion?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  minutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sets?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  trainingId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  participants?: Resolver<Array<Maybe<ResolversTypes['User']>>, ParentType, ContextType>;
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
  presence?: Resolver<Maybe<ResolversTypes['Presence']>, ParentType, ContextType>;
  squadHistory?: Resolver<Maybe<ResolversTypes['SquadWorkoutConnection']>, ParentType, ContextType, Partial<UserSquadHistoryArgs>>;
};

export type WorkoutRoutineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['WorkoutRoutine'] = ResolversParentTypes['WorkoutRoutine']> = {
  versionId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type Resolvers<ContextType = Context> = {
  DateTime?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  OnlineUser?: OnlineUserResolvers<ContextType>;
  Presence?: PresenceResolvers<ContextType>;
  OnlineUsersUpdate?: OnlineUsersUpdateResolvers<ContextType>;
  Group?: GroupResolvers<ContextType>;
  SquadInvite?: SquadInviteResolvers<ContextType>;
  SquadInviteConnection?: SquadInviteConnectionResolvers<ContextType>;
  SquadInviteEdge?: SquadInviteEdgeResolvers<ContextType>;
  SquadSession?: SquadSessionResolvers<ContextType>;
  SquadParticipant?: SquadParticipantResolvers<ContextType>;
  DoneSet?: DoneSetResolvers<ContextType>;
  SquadMessage?: SquadMessageResolvers<ContextType>;
  SquadMessageConnection?: SquadMessageConnectionResolvers<ContextType>;
  SquadMessageEdge?: SquadMessageEdgeResolvers<ContextType>;
  SquadMessageReport?: SquadMessageReportResolvers<ContextType>;
  SquadMessageReportConnection?: SquadMessageReportConnectionResolvers<ContextType>;
  SquadMessageReportEdge?: SquadMessageReportEdgeResolvers<ContextType>;
  FeedItem?: FeedItemResolvers<ContextType>;
  FeedConnection?: FeedConnectionResolvers<ContextType>;
  FeedEdge?: FeedEdgeResolvers<ContextType>;
  SquadWorkout?: SquadWorkoutResolvers<ContextType>;
  SquadWorkoutConnection?: SquadWorkoutConnectionResolvers<ContextType>;
  SquadWorkoutEdge?: SquadWorkoutEdgeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  WorkoutRoutine?: WorkoutRoutineResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = Context> = {
  sameForGym?: SameForGymDirectiveResolver<any, any, ContextType>;
};
