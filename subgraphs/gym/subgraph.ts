import { z } from 'zod';
import { listenTo } from '#server/database/notifications.ts';
import { accountDataRest } from '#server/accounts/account-data.rest.ts';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { jobsRest } from '#server/jobs/jobs.rest.ts';
import { eventsRest } from '#server/events/events.rest.ts';
import { References } from '#server/references/references.ts';
import { Removals } from '#server/references/removals.ts';
import { removedReferencesRest } from '#server/references/removed-references.rest.ts';
import { callsToServices } from '#server/service-calls.ts';
import { readExamples } from '#server/rest/examples.ts';
import { announcementsGraphql } from './announcements/announcements.graphql.ts';
import { announcementsRest } from './announcements/announcements.rest.ts';
import { auditGraphql } from './audit/audit.graphql.ts';
import { auditRest } from './audit/audit.rest.ts';
import { challengesGraphql } from './challenges/challenges.graphql.ts';
import { challengesRest } from './challenges/challenges.rest.ts';
import { trainingCountsOf } from './challenges/training-scores.ts';
import { checkInsGraphql } from './check-ins/check-ins.graphql.ts';
import { checkInsRest } from './check-ins/check-ins.rest.ts';
import { locationVisitsGraphql } from './check-ins/location-visits.graphql.ts';
import { locationVisitsRest } from './check-ins/location-visits.rest.ts';
import { peopleOf } from './check-ins/people.ts';
import { qrCodesOf } from './check-ins/qr-codes.ts';
import { bookingsGraphql } from './classes/bookings.graphql.ts';
import { bookingsRest } from './classes/bookings.rest.ts';
import { classesGraphql } from './classes/classes.graphql.ts';
import { classesRest } from './classes/classes.rest.ts';
import { memberMails } from './classes/member-mails.ts';
import { CLASS_SESSIONS_CHANNEL } from './classes/session-events.ts';
import { sessionsGraphql } from './classes/sessions.graphql.ts';
import { sessionsRest } from './classes/sessions.rest.ts';
import { database } from './database.ts';
import { jobsGraphql } from './jobs.graphql.ts';
import { gymJobs } from './jobs.ts';
import { demo } from './demo.ts';
import { gymEvents } from './events/event-data.ts';
import { EventCollector } from './events/event-collector.ts';
import { eventsGraphql } from './events/events.graphql.ts';
import { Gym } from './gyms/gym.entity.ts';
import { gymsGraphql } from './gyms/gyms.graphql.ts';
import { gymsRest } from './gyms/gyms.rest.ts';
import { kioskPages } from './kiosk/kiosk.ts';
import { locationsGraphql } from './locations/locations.graphql.ts';
import { locationsRest } from './locations/locations.rest.ts';
import { OCCUPANCY_CHANNEL } from './locations/occupancy-events.ts';
import { memberStatesOf } from './members/member-states.ts';
import { endedMembershipsRest } from './members/memberships.rest.ts';
import { ordersGraphql } from './orders/orders.graphql.ts';
import { ordersRest } from './orders/orders.rest.ts';
import { postsGraphql } from './posts/posts.graphql.ts';
import { postsRest } from './posts/posts.rest.ts';
import { gymRetention, unusedPictures } from './retention.ts';
import { gymServices } from './services.ts';
import { shopGraphql } from './shop/shop.graphql.ts';
import { shopRest } from './shop/shop.rest.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';
import { webhooksGraphql } from './webhooks/webhooks.graphql.ts';
import { webhooksRest } from './webhooks/webhooks.rest.ts';

export const gym = defineSubgraph({
  name: 'gym',
  title: 'Gym service',
  description: 'White-labelling of gyms, their locations, check-ins and social life.',
  settings: z.object({
    /** The public URL of this service, for addresses of calendar feeds. */
    gymPublicUrl: z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' }).optional(),
    /** How many weeks ahead the sessions of classes are made. */
    classWeeksAhead: z.coerce
      .number('expected weeks')
      .int()
      .min(1)
      .max(104, 'expected at most 104 weeks')
      .default(8),
  }),
  database,
  storesFiles: true,
  events: gymEvents,
  changeKinds: ['Gym', 'Features', 'Location'],
  deliversWebhooks: true,
  async resources({ database: address, settings, serviceTokens, unitOf, files, events, metrics, log }) {
    if (!address) throw new Error('The gym service needs its database.');
    const calls = callsToServices({ settings, tokens: serviceTokens });
    const removals = new Removals({
      referringServices: { Gym: ['identity', 'content'] },
      calls,
      unitOf,
      log,
    });
    const notifications = await listenTo(
      address.server,
      address.name,
      [OCCUPANCY_CHANNEL, CLASS_SESSIONS_CHANNEL],
      log,
    );
    const collector = new EventCollector({ settings, tokens: serviceTokens, unitOf, log });
    const dispatcher = new WebhookDispatcher({
      events,
      unitOf,
      allowsLoopback: settings.demo,
      metrics,
      log,
    });
    return {
      notifications,
      events,
      webhooks: {
        allowsLoopback: settings.demo,
        wake: () => dispatcher.wake(),
        publish: () => events.publish(),
      },
      collector,
      identity: calls.to('identity'),
      resolveQrCode: qrCodesOf(calls.to('identity')),
      findMemberStates: memberStatesOf(calls.to('identity')),
      countTrainings: trainingCountsOf(calls),
      mailMember: memberMails(calls.to('identity')),
      classWeeksAhead: settings.classWeeksAhead,
      findPeople: peopleOf(calls.to('identity')),
      publicUrl: settings.gymPublicUrl?.replace(/\/$/, ''),
      files,
      references: new References(calls),
      removals,
      async dispose() {
        await collector.dispose();
        await dispatcher.dispose();
        await notifications.close();
        await removals.dispose();
        await calls.close();
      },
    };
  },
  services: gymServices,
  features: {
    challenges: 'challenges',
    classes: 'classes',
    sessions: 'classes',
    bookings: 'classes',
    calendars: 'classes',
    challengePlans: 'challenges',
    challengeProgress: 'challenges',
    announcements: 'feed',
    posts: 'feed',
    comments: 'feed',
    postReports: 'feed',
    shop: 'shop',
    stock: 'shop',
    orders: 'shop',
    events: null,
    webhooks: null,
    webhookDeliveries: null,
    configs: null,
    locations: null,
    checkIns: null,
    denials: null,
    memberships: null,
    endedMemberships: null,
    firstVisits: null,
    locationVisits: null,
    auditTrail: null,
    programs: null,
    removedReferences: null,
    jobs: null,
    accountData: null,
  },
  // This service stores the switches, so it does not call itself over the network.
  featureSource:
    ({ unitOf }) =>
    async (gymId) =>
      (await unitOf().em.findOne(Gym, { id: gymId }))?.features,
  graphql: [
    gymsGraphql,
    locationsGraphql,
    checkInsGraphql,
    classesGraphql,
    sessionsGraphql,
    bookingsGraphql,
    locationVisitsGraphql,
    auditGraphql,
    challengesGraphql,
    announcementsGraphql,
    postsGraphql,
    shopGraphql,
    ordersGraphql,
    jobsGraphql,
    eventsGraphql,
    webhooksGraphql,
  ],
  pages: kioskPages,
  examples: readExamples(new URL('examples.json', import.meta.url)),
  rest: [
    ...gymsRest,
    ...locationsRest,
    ...checkInsRest,
    ...classesRest,
    ...sessionsRest,
    ...bookingsRest,
    ...locationVisitsRest,
    ...auditRest,
    ...challengesRest,
    ...announcementsRest,
    ...postsRest,
    ...shopRest,
    ...ordersRest,
    ...eventsRest,
    ...webhooksRest,
    ...endedMembershipsRest,
    ...accountDataRest,
    ...jobsRest,
    ...removedReferencesRest,
  ],
  jobs: gymJobs,
  retention: ({ files }) => [...gymRetention, unusedPictures(files)],
  demo: (_services, unit, _resources, { demoHistory }) => demo(unit, demoHistory),
});
