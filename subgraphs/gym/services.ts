import type { Notifications } from '#server/database/notifications.ts';
import type { EventLog } from '#server/events/event-log.ts';
import { EventFeed } from '#server/events/feed.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import { Jobs } from '#server/jobs/jobs.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { References } from '#server/references/references.ts';
import type { Removals } from '#server/references/removals.ts';
import { RemovedReferences } from '#server/references/removed-references.ts';
import { AccountData } from '#server/accounts/account-data.ts';
import { gymAccountPart } from './accounts/account-part.ts';
import { Announcements } from './announcements/announcements.ts';
import { Challenges } from './challenges/challenges.ts';
import { Scores } from './challenges/scores.ts';
import { AuditTrail } from './audit/audit-trail.ts';
import { CheckIns } from './check-ins/check-ins.ts';
import { Denials } from './check-ins/denials.ts';
import { LocationVisits } from './check-ins/location-visits.ts';
import type { FindPeople } from './check-ins/people.ts';
import type { Memberships } from './check-ins/presented-code.ts';
import type { ResolveQrCode } from './check-ins/qr-codes.ts';
import { Configs } from './gyms/configs.ts';
import { Gyms } from './gyms/gyms.ts';
import { gymJobs } from './jobs.ts';
import { Locations } from './locations/locations.ts';
import { Posts } from './posts/posts.ts';
import { Programs } from './shop/programs.ts';
import { Shop } from './shop/shop.ts';
import { WebhookDeliveries } from './webhooks/deliveries.ts';
import { Webhooks, type WebhookSending } from './webhooks/webhooks.ts';

interface GymResources {
  notifications: Notifications;
  events: EventLog;
  webhooks: WebhookSending;
  resolveQrCode: ResolveQrCode;
  findPeople: FindPeople;
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
    findPeople,
    files,
    references,
    removals,
  }: GymResources,
) => {
  const gyms = new Gyms(unit, removals);
  const scores = new Scores(unit);
  const denials = new Denials(unit);
  // Every member of a gym may come in.
  const memberships: Memberships = { requireActive: async () => undefined };
  const shop = new Shop(unit, gyms, references);
  const webhooks = new Webhooks(unit, sending);
  const programs = new Programs(unit, gyms, references);
  return {
    events: new EventFeed(unit, events),
    webhooks,
    webhookDeliveries: new WebhookDeliveries(unit, webhooks, sending.wake),
    gyms,
    configs: new Configs(unit, gyms),
    locations: new Locations(unit, notifications),
    checkIns: new CheckIns(unit, resolveQrCode, { scores, denials, memberships }),
    denials,
    locationVisits: new LocationVisits(unit, findPeople),
    auditTrail: new AuditTrail(unit),
    challenges: new Challenges(unit, scores),
    announcements: new Announcements(unit),
    posts: new Posts(unit, files),
    shop,
    programs,
    removedReferences: new RemovedReferences(unit, {
      Product: { owner: 'content', forget: (id) => shop.forget(id) },
      WorkoutRoutine: { owner: 'content', forget: (id) => programs.forget(id) },
    }),
    files,
    jobs: new Jobs(unit, gymJobs),
    accountData: new AccountData(unit, gymAccountPart(unit, files)),
  };
};

type GymServices = ReturnType<typeof gymServices>;
export type Context = GraphContext<GymServices>;
