import type pg from 'pg';

const MONTHS = ['2026-08-01', '2026-09-01', '2026-10-01', '2026-11-01'];
const MEMBER = 'member(77)';

interface Trial {
  table: string;
  column: string;
  /** The primary key of the partitioned table, which must contain the column of the partitions. */
  key: string;
  indexes: readonly string[];
  /** Statements like those of the service, with the table's name as `$table`. */
  statements: readonly [what: string, statement: string][];
}

const TRIALS: Readonly<Record<'gym' | 'nutrition', Trial>> = {
  gym: {
    table: 'check_in',
    column: 'checked_in_at',
    key: 'id, checked_in_at',
    indexes: ['user_id, checked_in_at, id', 'location_id, checked_in_at'],
    statements: [
      [
        "a member's newest visits",
        `select * from $table where user_id = ${MEMBER} order by checked_in_at desc, id desc limit 50`,
      ],
      [
        'the same within a month',
        `select * from $table where user_id = ${MEMBER} and checked_in_at >= '2026-10-01' and checked_in_at < '2026-11-01' order by checked_in_at desc, id desc limit 50`,
      ],
      [
        'a visit by id',
        `select * from $table where id = (select id from check_in where user_id = ${MEMBER} limit 1)`,
      ],
      [
        'the number of check-ins at a location on a day',
        `select count(*) from $table where location_id = member(1) and checked_in_at >= '2026-10-05' and checked_in_at < '2026-10-06'`,
      ],
      [
        'the open visit of a member',
        `select id from $table where user_id = ${MEMBER} and checked_out_at is null`,
      ],
    ],
  },
  nutrition: {
    table: 'food_log',
    column: 'local_date',
    key: 'id, local_date',
    indexes: ['user_id, local_date, logged_at, id'],
    statements: [
      ['a day', `select * from $table where user_id = ${MEMBER} and local_date = '2026-10-05'`],
      [
        'the first page of the history',
        `select * from $table where user_id = ${MEMBER} order by local_date desc, logged_at desc, id desc limit 50`,
      ],
      [
        'an entry by id',
        `select * from $table where id = (select id from food_log where user_id = ${MEMBER} limit 1)`,
      ],
    ],
  },
};

interface Plan {
  'Execution Time': number;
  'Planning Time': number;
  Plan: PlanNode;
}

interface PlanNode {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Loops': number;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

/** Copies a table into one with monthly partitions, and compares the plans of the statements, as Markdown. */
export async function tryPartitions(client: pg.Client, service: 'gym' | 'nutrition'): Promise<string> {
  const { table, column, key, indexes, statements } = TRIALS[service];
  const copy = `${table}_by_month`;
  await client.query(
    `create table ${copy} (like ${table} including defaults) partition by range (${column})`,
  );
  for (const [index, from] of MONTHS.slice(0, -1).entries())
    await client.query(
      `create table ${copy}_${index} partition of ${copy} for values from ('${from}') to ('${MONTHS[index + 1]}')`,
    );
  await client.query(`alter table ${copy} add primary key (${key})`);
  for (const columns of indexes) await client.query(`create index on ${copy} (${columns})`);
  await client.query(`insert into ${copy} select * from ${table}`);
  await client.query(`vacuum analyze ${copy}`);
  const lines = [
    `| \`${table}\`, three months | one table: blocks read, ms to plan, ms to run | by month | partitions |`,
    '|---|---|---|---|',
  ];
  for (const [what, statement] of statements) {
    const one = await explained(client, statement.replaceAll('$table', table));
    const parts = await explained(client, statement.replaceAll('$table', copy));
    lines.push(`| ${what} | ${figures(one)} | ${figures(parts)} | ${partitionsOf(parts, copy)} |`);
  }
  const began = performance.now();
  await client.query(`drop table ${copy}_0`);
  const dropped = performance.now() - began;
  const again = performance.now();
  const { rowCount } = await client.query(`delete from ${table} where ${column} < '${MONTHS[1]}'`);
  const deleted = performance.now() - again;
  return `${lines.join('\n')}\n\nRemoving the oldest month: ${dropped.toFixed(0)} ms for the drop of its partition, ${deleted.toFixed(0)} ms for the delete of its ${rowCount?.toLocaleString('en')} rows, and the space of the deleted rows is used again only for new rows.\n\n`;
}

/** The third of three executions, with warm caches. */
async function explained(client: pg.Client, statement: string): Promise<Plan> {
  let plan: Plan | undefined;
  for (let round = 0; round < 3; round += 1) {
    const { rows } = await client.query<{ 'QUERY PLAN': Plan[] }>(
      `explain (analyze, buffers, format json) ${statement}`,
    );
    plan = rows[0]?.['QUERY PLAN'][0];
  }
  if (!plan) throw new Error('no plan');
  return plan;
}

const figures = (plan: Plan): string =>
  `${plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks']}, ${plan['Planning Time'].toFixed(2)}, ${plan['Execution Time'].toFixed(2)}`;

/** The number of partitions that the execution has read. */
function partitionsOf(plan: Plan, copy: string): number {
  const read = new Set<string>();
  const visit = (node: PlanNode): void => {
    const name = node['Relation Name'];
    if (name?.startsWith(`${copy}_`) && node['Actual Loops'] > 0) read.add(name);
    for (const child of node.Plans ?? []) visit(child);
  };
  visit(plan.Plan);
  return read.size;
}
