import { DEMO_GYMS, demoId, demoPerson } from '#server/demo-ids.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { moveInTime } from '../gym/class-support.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import type { Recorder } from './recorder.ts';

const STAFF = 'admin@iron.test';
const SUPER = 'super@demo.test';
const { id: gymId, slug } = DEMO_GYMS.ironTemple;
const FORGE = demoId('301', 1);
/** The first midnight (UTC) after this many days; 0: the end of today. */
const midnightAfter = (days: number) =>
  new Date(Math.ceil(Date.now() / DAY_MILLIS + days) * DAY_MILLIS).toISOString();

export async function gymExamples(recorder: Recorder): Promise<void> {
  await gyms(recorder);
  await locations(recorder);
  await visits(recorder);
  await classes(recorder);
  await challenges(recorder);
  await posts(recorder);
  await shop(recorder);
  await webhooks(recorder);
  const { record } = recorder;
  await record('removeReferences', { as: 'content', params: { typeName: 'Product', id: demoId('999', 1) } });
  await record('endMembershipAtGym', {
    as: 'identity',
    body: { userId: demoId('999', 2), gymId, before: null },
  });
  await record('listAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
  await record('eraseAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
}

async function gyms({ record, send }: Recorder): Promise<void> {
  await record('listGyms', { as: 'nobody' });
  await record('getGym', { as: 'nobody', params: { gymId: slug } });
  await record('updateGym', { as: STAFF, params: { gymId }, body: { joinPolicy: 'OPEN' } });
  await record('getGymConfig', { as: 'nobody', params: { gymId: slug } });
  await record('getDesignTokens', { as: 'nobody', params: { gymId: slug } });
  await record('saveGymConfigDraft', {
    as: SUPER,
    params: { gymId },
    body: { theme: { colors: { primary: '#7c3aed' } } },
  });
  await record('getGymConfigDraft', { as: SUPER, params: { gymId } });
  await record('publishGymConfigDraft', { as: SUPER, params: { gymId } });
  await record('publishGymConfig', {
    as: SUPER,
    body: { gymId, features: { shop: true }, theme: { colors: { secondary: '#111827' } } },
  });
  await record('rollBackGymConfig', { as: SUPER, params: { gymId }, body: { version: 1 } });
  await record('listGymConfigVersions', { as: STAFF, params: { gymId }, query: { limit: 2 } });
  await record('createGym', { as: SUPER, body: { name: 'North Side', slug: 'north-side' } });
  const unopened = { name: 'South Side', slug: 'south-side', opened: false };
  const created = await send('createGym', { as: 'wizard', body: unopened });
  await record('openGym', { as: 'wizard', params: { gymId: created.id } });
  const unused = await send('createGym', {
    as: 'wizard',
    body: { ...unopened, name: 'West Side', slug: 'west-side' },
  });
  await record('withdrawGym', { as: 'wizard', params: { gymId: unused.id } });
}

async function locations({ record, send }: Recorder): Promise<void> {
  await record('listLocations');
  await record('getLocation', { params: { id: FORGE } });
  const added = await record('createLocation', {
    as: STAFF,
    body: {
      name: 'Foundry',
      address: 'Amboss 3, Berlin',
      timezone: 'Europe/Berlin',
      capacity: 60,
      openingHours: {
        mon: [
          { opens: '06:30', closes: '12:00' },
          { opens: '16:00', closes: '01:00' },
        ],
        sat: [{ opens: '09:00', closes: '18:00' }],
      },
      openingExceptions: [{ date: '2030-12-25', closed: true }],
      qrPolicy: 'ANY',
    },
  });
  await record('updateLocation', {
    as: STAFF,
    params: { id: added.id },
    body: { capacity: 75, version: 1 },
  });
  const old = { name: 'Old hall', timezone: 'Europe/Berlin', capacity: 20 };
  const { id } = await send('createLocation', { as: STAFF, body: old });
  await record('closeLocation', { as: STAFF, params: { id } });
  await record('getOccupancy', { params: { id: FORGE } });
  await record('listOccupancyHistory', {
    params: { id: FORGE },
    query: { from: midnightAfter(-2), to: midnightAfter(-1) },
  });
  await record('getOccupancyChart', { params: { id: FORGE } });
}

async function visits({ platform, record, send }: Recorder): Promise<void> {
  const { qrCode } = (
    await platform.rest('identity', 'GET', '/users/me', { token: await platform.demo('maya@iron.test') })
  ).body;
  const visit = await record('checkIn', { body: { qrCode, locationId: FORGE, source: 'app' } });
  await record('listVisits', { query: { limit: 2 } });
  await record('listPeopleInside', { as: STAFF, params: { id: FORGE } });
  const today = { from: midnightAfter(-1), to: midnightAfter(0) };
  await record('listVisitsAtLocation', { as: STAFF, params: { id: FORGE }, query: { ...today, limit: 2 } });
  await record('exportVisitsAtLocation', { as: STAFF, params: { id: FORGE }, query: today });
  await record('checkOut', { body: { qrCode } });
  await record('undoCheckIn', { as: STAFF, params: { id: visit.id } });
  const refused = { qrCode: `${qrCode}-unknown`, locationId: FORGE };
  await platform.rest('gym', 'POST', '/locations/check-in', {
    token: await platform.demo(STAFF),
    body: refused,
  });
  await record('listGymAuditEvents', { as: STAFF, query: { action: 'CHECK_IN_UNDONE', limit: 2 } });
  await record('listDenials', { as: STAFF, params: { id: FORGE }, query: { limit: 2 } });
  await send('listVisits', { as: STAFF, query: { userId: demoPerson('maya@iron.test').id } });
}

async function classes({ platform, record, send }: Recorder): Promise<void> {
  await record('listClasses', { query: { locationId: FORGE } });
  const added = await record('createClass', {
    as: STAFF,
    body: {
      locationId: FORGE,
      title: 'Indoor cycling',
      durationMinutes: 45,
      capacity: 1,
      instructor: 'Ben',
      recurrence: { startsAt: midnightAfter(3).slice(0, 16), rrule: 'FREQ=DAILY;COUNT=3' },
    },
  });
  const { id } = added as { id: string };
  await record('getClass', { params: { id } });
  await record('updateClass', { as: STAFF, params: { id }, body: { cancelBeforeMinutes: 60, version: 1 } });
  await record('listClassOccurrences', {
    params: { id },
    query: { from: midnightAfter(3).slice(0, 10), to: midnightAfter(4).slice(0, 10) },
  });
  const [session] = (await record('listClassSessions', { query: { classId: id, limit: 2 } })) as {
    id: string;
  }[];
  const at = { params: { id: session?.id ?? '' } };
  await record('getClassSession', at);
  const first = await record('bookClassSession', at);
  const waiting = await send('bookClassSession', { ...at, as: 'leo@iron.test' });
  await record('listSessionBookings', { ...at, as: STAFF, query: { limit: 2 } });
  await record('listBookings', { query: { limit: 2 } });
  await record('getBooking', { as: 'leo@iron.test', params: { id: waiting.id } });
  await record('cancelBooking', { params: { id: first.id } });
  await moveInTime(platform, at.params.id, 30);
  await record('setAttendance', { as: STAFF, params: { id: waiting.id }, body: { status: 'ATTENDED' } });
  await record('updateClassSession', { as: STAFF, ...at, body: { instructor: 'Ada', scope: 'FOLLOWING' } });
  await record('getCalendar');
  await record('rotateCalendar');
  await record('getClassCalendar');
  await record('deleteClass', { as: STAFF, params: { id } });
  const time = { locationId: FORGE, startsAt: midnightAfter(5) };
  await record('getFirstVisitPlaces', { as: 'wizard', query: time });
  const { body: leo } = await platform.rest('identity', 'GET', '/users/me', {
    token: await platform.demo('leo@iron.test'),
  });
  const visit = await record('bookFirstVisit', {
    as: 'wizard',
    body: { ...time, id: demoId('999', 3), userId: leo.id },
  });
  await record('listBookedFirstVisits', { as: 'wizard', query: { ids: visit.id } });
  await record('cancelFirstVisit', { as: 'wizard', params: { id: visit.id } });
}

async function challenges({ record, send }: Recorder): Promise<void> {
  await record('listChallenges');
  await record('getChallenge', { params: { id: demoId('302', 1) } });
  await record('listLeaderboard', { params: { id: demoId('302', 1) }, query: { limit: 2 } });
  const rowing = {
    title: '50 km on the rower',
    metric: 'CUSTOM',
    goal: 50_000,
    startsAt: midnightAfter(-2),
    endsAt: midnightAfter(28),
  };
  const { id } = await record('createChallenge', { as: STAFF, body: rowing });
  await record('joinChallenge', { params: { id } });
  await record('addChallengeProgress', { params: { id }, body: { amount: 2_500 } });
  await record('leaveChallenge', { params: { id } });
  const minutes = await send('createChallenge', { as: STAFF, body: { ...rowing, metric: 'MINUTES' } });
  await record('recountChallenge', { as: 'super@demo.test', params: { id: minutes.id } });
  await record('updateChallenge', { as: STAFF, params: { id }, body: { goal: 60_000, version: 1 } });
  await record('deleteChallenge', { as: STAFF, params: { id } });
  await send('deleteChallenge', { as: STAFF, params: { id: minutes.id } });
  await record('listAnnouncements');
  const news = await record('createAnnouncement', {
    as: STAFF,
    // So far in the future that it is not replaced: readers of the documents try the example.
    body: { title: 'New rowers', text: 'Four new rowers are at Forge.', endsAt: '2099-12-31T23:00:00.000Z' },
  });
  await record('updateAnnouncement', {
    as: STAFF,
    params: { id: news.id },
    body: { text: 'Four new rowers are at Forge and Anvil.' },
  });
  await record('deleteAnnouncement', { as: STAFF, params: { id: news.id } });
  await send('listAnnouncements', { as: STAFF });
}

async function posts({ record, send }: Recorder): Promise<void> {
  const post = await record('createPost', { body: { text: 'Two hundred kilos, at last.' } });
  const at = { params: { id: post.id } };
  await record('listPosts', { query: { limit: 2 } });
  await record('getPost', at);
  await record('likePost', { ...at, as: 'leo@iron.test' });
  const comment = await record('createComment', {
    ...at,
    as: 'leo@iron.test',
    body: { text: 'Spotting you next time!' },
  });
  await record('listComments', { ...at, query: { limit: 2 } });
  await record('unlikePost', { ...at, as: 'leo@iron.test' });
  await record('reportPost', { ...at, as: 'leo@iron.test', body: { reason: 'Not about training.' } });
  const onComment = { params: { id: post.id, commentId: comment.id } };
  await record('reportComment', { ...onComment, body: { reason: 'Advertising.' } });
  await record('listPostReports', { as: STAFF, query: { limit: 2 } });
  await record('dismissCommentReports', { ...onComment, as: STAFF });
  await record('dismissPostReports', { ...at, as: STAFF });
  await record('deleteComment', { ...onComment, as: 'leo@iron.test' });
  const form = { text: 'My new belt', image: await pictures.normal('png', 640, 480) };
  const withPicture = await send('createPost', { form });
  const file = /\/media\/([^/?"]+)/.exec(JSON.stringify(withPicture))?.[1] ?? '';
  await record('getPostPicture', { params: { file } });
  await record('deletePost', at);
}

async function orders({ record }: Recorder, productId: string): Promise<void> {
  const ofProduct = { as: STAFF, params: { gymId: slug, productId } } as const;
  await record('adjustStock', { ...ofProduct, body: { delta: 24, reason: 'Delivery 17', kind: 'RECEIVED' } });
  const order = await record('placeOrder', { body: { items: [{ productId, quantity: 2 }] } });
  await record('listOrders', { query: { status: 'PLACED' } });
  await record('getOrder', { params: { id: order.id } });
  await record('updateOrder', { as: STAFF, params: { id: order.id }, body: { status: 'READY', version: 1 } });
  await record('listStockMovements', { ...ofProduct, query: { limit: 2 } });
  await record('listLowStock', { as: STAFF, params: { gymId: slug }, query: { below: 50 } });
}

async function shop(recorder: Recorder): Promise<void> {
  const { platform, record } = recorder;
  const { body: products } = await platform.rest('content', 'GET', '/products?limit=2');
  const { body: routines } = await platform.rest('content', 'GET', '/workouts?limit=2');
  const [first, second] = products as { id: string }[];
  await record('replaceGymProducts', {
    as: STAFF,
    params: { gymId: slug },
    body: {
      products: [
        { productId: first?.id, price: 2_499, currency: 'EUR', stock: 12 },
        { productId: second?.id },
      ],
    },
  });
  await record('listGymProducts', { as: 'nobody', params: { gymId: slug } });
  await orders(recorder, first?.id ?? '');
  await record('replaceGymPrograms', {
    as: STAFF,
    params: { gymId: slug },
    body: {
      programs: (routines as { id: string }[]).map(({ id }) => ({ routineId: id, note: 'Twice a week' })),
    },
  });
  await record('listGymPrograms', { as: 'nobody', params: { gymId: slug } });
}

async function webhooks({ platform, record }: Recorder): Promise<void> {
  const at = (id: string) => ({ as: STAFF, params: { id } }) as const;
  const { id } = await record('createWebhook', {
    as: STAFF,
    body: { url: 'https://crm.example.com/events', types: ['check_in.opened'], description: 'CRM' },
  });
  await record('listWebhooks', { as: STAFF });
  await record('getWebhook', at(id));
  await record('updateWebhook', { ...at(id), body: { types: ['check_in.opened', 'check_in.closed'] } });
  await record('rotateWebhookSecret', at(id));
  const delivery = await record('testWebhook', at(id));
  await eventually(async () => {
    const rows = await platform.sql('gym', 'select status from webhook_delivery where id = $1', [
      delivery.id,
    ]);
    return rows[0]?.status !== 'PENDING';
  });
  await record('listWebhookDeliveries', { ...at(id), query: { limit: 1 } });
  await record('replayDelivery', { as: STAFF, params: { id, deliveryId: delivery.id } });
  const now = Date.now();
  await record('replayWebhook', {
    ...at(id),
    body: { from: new Date(now - 3_600_000).toISOString(), to: new Date(now).toISOString() },
  });
  await record('deleteWebhook', at(id));
}
