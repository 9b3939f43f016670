import { EVENT_TYPES, type EventType } from '#server/events/event-types.ts';
import { journalRecords, rowsOf, type JournalRecord, type PartName, type Parts, type Row } from './parts.ts';

/** A relation between parts of an installation that holds at every moment. Returns what contradicts it. */
export type Rule = (parts: Parts) => string[];

const column = (parts: Parts, database: PartName, table: string, name: string): string[] =>
  rowsOf(parts, database, table).flatMap((row) => row[name] ?? []);

const missingIn = (known: Iterable<string>, wanted: Iterable<string>, what: string): string[] => {
  const set = new Set(known);
  return [...new Set(wanted)].filter((id) => !set.has(id)).map((id) => `${what}: ${id}`);
};

/** Columns with the id of a user. A row is written for an account that exists. */
const PEOPLE = [
  ['gym', 'check_in', 'user_id'],
  ['gym', 'post', 'author_id'],
  ['gym', 'post_like', 'user_id'],
  ['gym', 'shop_order', 'user_id'],
  ['gym', 'booking', 'user_id'],
  ['nutrition', 'food_log', 'user_id'],
  ['content', 'training', 'user_id'],
] as const;

const users: Rule = (parts) => {
  // An account that is being deleted disappears from identity after the other services have erased their rows.
  const known = [
    ...column(parts, 'identity', 'user_account', 'id'),
    ...column(parts, 'identity', 'account_deletion', 'user_id'),
  ];
  const hosts = journalRecords(parts, 'squads').flatMap(({ record }) =>
    record.type === 'created' ? [record.hostId as string] : [],
  );
  return [
    ...PEOPLE.flatMap(([database, table, name]) =>
      missingIn(known, column(parts, database, table, name), `${database}.${table} of an unknown user`),
    ),
    ...missingIn(known, hosts, 'squad of an unknown user'),
  ];
};

const gyms: Rule = (parts) =>
  missingIn(
    column(parts, 'gym', 'gym', 'id'),
    [
      ...column(parts, 'identity', 'user_account', 'gym_id'),
      ...column(parts, 'identity', 'gym_invitation', 'gym_id'),
      ...journalRecords(parts, 'squads').flatMap(({ record }) => record.gymId ?? []),
    ],
    'unknown gym',
  );

/** A deletion is finished after every service has erased the account; then no food log entry or training is left. */
const deletions: Rule = (parts) => {
  const finished = rowsOf(parts, 'identity', 'account_deletion').flatMap((row) =>
    row.finished_at ? (row.user_id ?? []) : [],
  );
  const gone = new Set(finished);
  return [
    ...(['gym', 'nutrition', 'content', 'wizard'] as const).flatMap((database) =>
      missingIn(
        column(parts, database, 'erased_account', 'user_id'),
        finished,
        `deleted account that ${database} has not erased`,
      ),
    ),
    ...(['food_log', 'training'] as const).flatMap((table) =>
      column(parts, table === 'training' ? 'content' : 'nutrition', table, 'user_id')
        .filter((id) => gone.has(id))
        .map((id) => `${table} of a deleted account: ${id}`),
    ),
  ];
};

/** The events of a service, published or not. */
const eventsOf = (parts: Parts, database: PartName): Row[] => [
  ...rowsOf(parts, database, 'event'),
  ...rowsOf(parts, database, 'event_outbox'),
];

/** Gym collects the events of the other services after they were committed. */
const events: Rule = (parts) => {
  const written = (['identity', 'content'] as const).flatMap((database) => eventsOf(parts, database));
  const collected = eventsOf(parts, 'gym').filter((row) => {
    const { writers } = EVENT_TYPES[row.type as EventType] ?? { writers: ['gym'] };
    return !(writers as readonly string[]).includes('gym');
  });
  const idsOf = (rows: readonly Row[]) => rows.flatMap((row) => row.id ?? []);
  return missingIn(idsOf(written), idsOf(collected), 'event that no service has written');
};

const stock: Rule = (parts) => {
  const total = new Map<string, number>();
  const add = (key: string, pieces: number) => total.set(key, (total.get(key) ?? 0) + pieces);
  for (const row of rowsOf(parts, 'gym', 'stock_movement'))
    add(`${row.gym_id} ${row.product_id}`, -Number(row.delta));
  for (const row of rowsOf(parts, 'gym', 'gym_product'))
    add(`${row.gym_id} ${row.product_id}`, Number(row.stock ?? 0));
  const orders = new Map(rowsOf(parts, 'gym', 'shop_order').map((row) => [row.id, row]));
  // The pieces of an order from the stock; those of a cancelled order were given back.
  for (const row of rowsOf(parts, 'gym', 'shop_order_item')) {
    const isOpen = orders.get(row.order_id ?? '')?.status !== 'CANCELLED';
    if (row.from_stock === 't' && isOpen) add(`order ${row.order_id}`, Number(row.quantity));
  }
  for (const row of rowsOf(parts, 'gym', 'stock_movement'))
    if (row.order_id && orders.has(row.order_id)) add(`order ${row.order_id}`, Number(row.delta));
  return [...total].filter(([, pieces]) => pieces !== 0).map(([key, pieces]) => `stock of ${key}: ${pieces}`);
};

/** Counts that a transaction writes together with the rows. */
const counts: Rule = (parts) => {
  const differences = new Map<string, number>();
  const add = (key: string, number: number) => differences.set(key, (differences.get(key) ?? 0) + number);
  for (const row of rowsOf(parts, 'gym', 'post')) {
    add(`likes of ${row.id}`, Number(row.like_count));
    add(`comments of ${row.id}`, Number(row.comment_count));
  }
  for (const row of rowsOf(parts, 'gym', 'post_like')) add(`likes of ${row.post_id}`, -1);
  for (const row of rowsOf(parts, 'gym', 'post_comment')) add(`comments of ${row.post_id}`, -1);
  for (const row of rowsOf(parts, 'nutrition', 'food_log_day'))
    add(`meals of ${row.user_id} ${row.local_date}`, Number(row.entries));
  for (const row of rowsOf(parts, 'nutrition', 'food_log'))
    add(`meals of ${row.user_id} ${row.local_date}`, -1);
  return [...differences].filter(([, number]) => number !== 0).map(([key, by]) => `${key} differ by ${by}`);
};

/** A meal of the test that was sent with a key has the name "keyed <the hash under which the key is stored>". */
const keys: Rule = (parts) => {
  const meals = column(parts, 'nutrition', 'food_log', 'food_name').filter((name) =>
    name.startsWith('keyed '),
  );
  const keyed = column(parts, 'nutrition', 'idempotency_record', 'key').map((key) => `keyed ${key}`);
  // The headers of an answer are not encrypted.
  const ordered = column(parts, 'gym', 'idempotency_record', 'headers').flatMap(
    (headers) => /"\/orders\/([^"]+)"/.exec(headers)?.[1] ?? [],
  );
  return [
    ...missingIn(keyed, meals, 'meal without the record of its key'),
    ...missingIn(meals, keyed, 'record of a key without its meal'),
    ...missingIn(column(parts, 'gym', 'shop_order', 'id'), ordered, 'record of a key without its order'),
  ];
};

/** A file is written before its row, and deleted after it. */
const files: Rule = (parts) =>
  missingIn(
    parts.files.files.keys(),
    [
      ...column(parts, 'identity', 'user_account', 'avatar').map((at) => `identity${at}`),
      ...column(parts, 'gym', 'post', 'image').map((name) => `gym/${name}`),
    ],
    'row whose file is missing',
  );

/** A mail is in the outbox before identity notes that it was sent, and after its account was committed. */
const mails: Rule = (parts) => {
  const receivers = [...parts.outbox.files.values()].flatMap((mail) => /^To: (\S+)/m.exec(mail)?.[1] ?? []);
  const emails = new Map(
    rowsOf(parts, 'identity', 'user_account').map(({ id, email }) => [id ?? '', email ?? '']),
  );
  const sent = rowsOf(parts, 'identity', 'email_verification').flatMap((row) =>
    row.sent_at ? (emails.get(row.user_id ?? '') ?? []) : [],
  );
  // The members of the test never delete an account whose address begins with "stays".
  const staying = receivers.filter((email) => email.startsWith('stays'));
  return [
    ...missingIn(receivers, sent, 'mail that was sent, and is not in the outbox'),
    ...missingIn(emails.values(), staying, 'mail to an unknown account'),
  ];
};

/** The rows of the history in a record of a user's journal. A long journal begins with a snapshot, which has the earlier ones. */
const workoutsIn = ({
  type,
  workout,
  user,
}: JournalRecord): { squadId: string; trainingId: string | null }[] => {
  if (type === 'trained') return [workout];
  return type === 'snapshot' ? user.history : [];
};

/** Squad asks content to store a training, and then notes its id in the history and in the squad's journal. */
const trainings: Rule = (parts) => {
  const squads = journalRecords(parts, 'squads');
  const trained = journalRecords(parts, 'users').flatMap(({ record }) => workoutsIn(record));
  const stored = rowsOf(parts, 'content', 'training').filter(({ squad_id }) => squad_id !== null);
  const inSquads = squads.flatMap(({ record }) =>
    record.type === 'trainingWritten' ? (record.trainingId ?? []) : [],
  );
  const inHistory = trained.flatMap(({ trainingId }) => trainingId ?? []);
  const pairs = stored.map((row) => `${row.squad_id} ${row.user_id}`);
  const ended = squads.filter(({ record }) => record.type === 'recorded').map(({ id }) => id);
  return [
    ...missingIn(
      stored.flatMap(({ id }) => id ?? []),
      [...inSquads, ...inHistory],
      'training that content does not have',
    ),
    ...missingIn(inHistory, inSquads, 'training that is not in the history'),
    ...missingIn(
      squads
        .filter(({ record }) => record.type === 'workout')
        .map(({ id, record }) => `${id} ${record.userId}`),
      pairs,
      'training of a squad without its sets',
    ),
    ...missingIn(
      trained.map(({ squadId }) => squadId),
      ended,
      'recorded squad that is in no history',
    ),
    ...pairs.filter((pair, index) => pairs.indexOf(pair) !== index).map((pair) => `stored twice: ${pair}`),
  ];
};

/** A deployment creates the gym, invites its admin, and is then DEPLOYED. The slug of a test's gym begins with "moment-". */
const deployments: Rule = (parts) => {
  const sessions = rowsOf(parts, 'wizard', 'wizard_session').map((row) => ({
    status: row.status,
    data: JSON.parse(row.data ?? '{}') as { basics?: { slug?: string }; admin?: { email?: string } },
  }));
  const deployed = sessions.filter(({ status }) => status === 'DEPLOYED');
  const begun = sessions.filter(({ status }) => status !== 'DRAFT');
  const slugs = column(parts, 'gym', 'gym', 'slug');
  const slugOf = ({ data }: (typeof sessions)[number]) => data.basics?.slug ?? [];
  const ofTest = slugs.filter((slug) => slug.startsWith('moment-'));
  const admins = column(parts, 'identity', 'user_account', 'email');
  return [
    ...missingIn(slugs, deployed.flatMap(slugOf), 'deployed gym that does not exist'),
    ...missingIn(begun.flatMap(slugOf), ofTest, 'gym that no deployment has created'),
    ...missingIn(
      admins,
      deployed.flatMap(({ data }) => data.admin?.email ?? []),
      'admin of a deployed gym who was not invited',
    ),
    ...missingIn(
      begun.flatMap(({ data }) => data.admin?.email ?? []),
      admins.filter((email) => email.startsWith('moment-')),
      'admin whom no deployment has invited',
    ),
  ];
};

export const RULES: Readonly<Record<string, Rule>> = {
  users,
  gyms,
  deletions,
  events,
  stock,
  counts,
  keys,
  files,
  mails,
  trainings,
  deployments,
};

export const violations = (parts: Parts): string[] =>
  Object.entries(RULES).flatMap(([name, rule]) => rule(parts).map((what) => `${name}: ${what}`));
