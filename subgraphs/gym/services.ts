import type { Notifications } from '#server/database/notifications.ts';
import type { EventLog } from '#server/events/event-log.ts';
import { EventFeed } from '#server/events/feed.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import { Jobs } from '#server/jobs/jobs.ts';
import type { ServiceCalls } from '#server/service-calls.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { References } from '#server/references/references.ts';
import type { Removals } from '#server/references/removals.ts';
import { RemovedReferences } from '#server/references/removed-references.ts';
import { AccountData } from '#server/accounts/account-data.ts';
import { gymAccountPart } from './accounts/account-part.ts';
import { Announcements } from './announcements/announcements.ts';
import { ChallengePlans } from './challenges/challenge-plans.ts';
import { ChallengeProgress } from './challenges/challenge-progress.ts';
import { Challenges } from './challenges/challenges.ts';
import { Scores } from './challenges/scores.ts';
import { TrainingScores, type CountTrainings } from './challenges/training-scores.ts';
import { Bookings } from './classes/bookings.ts';
import { Calendars } from './classes/calendar.ts';
import { Classes } from './classes/classes.ts';
import { FirstVisits } from './classes/first-visits.ts';
import type { MailMember } from './classes/member-mails.ts';
import { Sessions } from './classes/sessions.ts';
import { AuditTrail } from './audit/audit-trail.ts';
import { CheckIns } from './check-ins/check-ins.ts';
import { Denials } from './check-ins/denials.ts';
import { LocationVisits } from './check-ins/location-visits.ts';
import type { FindPeople } from './check-ins/people.ts';
import type { ResolveQrCode } from './check-ins/qr-codes.ts';
import { Configs } from './gyms/configs.ts';
import type { EventCollector } from './events/event-collector.ts';
import { Gyms } from './gyms/gyms.ts';
import { gymJobs } from './jobs.ts';
import { Locations } from './locations/locations.ts';
import type { FindMemberStates } from './members/member-states.ts';
import { EndedMemberships } from './members/membership-ended.ts';
import { Memberships } from './members/memberships.ts';
import { Orders } from './orders/orders.ts';
import { Comments } from './posts/comments.ts';
import { PostReports } from './posts/post-reports.ts';
import { Posts } from './posts/posts.ts';
import { Programs } from './shop/programs.ts';
import { Shop } from './shop/shop.ts';
import { Stock } from './shop/stock.ts';
import { WebhookDeliveries } from './webhooks/deliveries.ts';
import { Webhooks, type WebhookSending } from './webhooks/webhooks.ts';

interface GymResources {
  notifications: Notifications;
  events: EventLog;
  /** Only for jobs, as are `identity` and `mailMember`. */
  collector: Pick<EventCollector, 'collectNow'>;
  identity: ServiceCalls;
  webhooks: WebhookSending;
  resolveQrCode: ResolveQrCode;
  findMemberStates: FindMemberStates;
  countTrainings: CountTrainings;
  mailMember: MailMember;
  classWeeksAhead: number;
  findPeople: FindPeople;
  publicUrl: string | undefined;
  files: FileStorage;
  references: References;
  removals: Removals;
}

/** The rules of this service for one unit of work. */
export const gymServices = (
  unit: UnitOfWork,
  {
    notifications,
    events,
    webhooks: sending,
    resolveQrCode,
    findMemberStates,
    countTrainings,
    classWeeksAhead,
    findPeople,
    publicUrl,
    files,
    references,
    removals,
  }: GymResources,
) => {
  const gyms = new Gyms(unit, removals);
  const scores = new Scores(unit);
  const denials = new Denials(unit);
  const shop = new Shop(unit, gyms, references);
  const webhooks = new Webhooks(unit, sending);
  const memberships = new Memberships(unit, findMemberStates);
  const challenges = new Challenges(unit, scores, new TrainingScores(unit, countTrainings));
  const posts = new Posts(unit, files);
  const programs = new Programs(unit, gyms, references);
  return {
    events: new EventFeed(unit, events),
    webhooks,
    webhookDeliveries: new WebhookDeliveries(unit, webhooks, sending.wake),
    gyms,
    configs: new Configs(unit, gyms),
    locations: new Locations(unit, notifications),
    checkIns: new CheckIns(unit, resolveQrCode, { scores, denials }),
    denials,
    memberships,
    endedMemberships: new EndedMemberships(unit),
    classes: new Classes(unit, classWeeksAhead),
    sessions: new Sessions(unit, notifications),
    bookings: new Bookings(unit, memberships),
    calendars: new Calendars(unit, memberships, publicUrl),
    firstVisits: new FirstVisits(unit, memberships),
    challenges,
    challengePlans: new ChallengePlans(unit, challenges),
    challengeProgress: new ChallengeProgress(unit, challenges),
    locationVisits: new LocationVisits(unit, findPeople, memberships),
    auditTrail: new AuditTrail(unit),
    announcements: new Announcements(unit),
    posts,
    comments: new Comments(unit, posts),
    postReports: new PostReports(unit),
    shop,
    stock: new Stock(unit, gyms),
    orders: new Orders(unit, references),
    programs,
    removedReferences: new RemovedReferences(unit, {
      Product: { owner: 'content', forget: (id) => shop.forget(id) },
      WorkoutRoutine: { owner: 'content', forget: (id) => programs.forget(id) },
      HiddenWorkoutRoutine: { owner: 'content', forget: (id) => programs.forget(id) },
    }),
    files,
    jobs: new Jobs(unit, gymJobs),
    accountData: new AccountData(unit, gymAccountPart(unit, files)),
  };
};

type GymServices = ReturnType<typeof gymServices>;
export type Context = GraphContext<GymServices>;
