import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { connectionTo, maintenanceDatabase } from '#server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { withoutPooler } from '#server/database/database-server.ts';
import { ensureDatabase } from '#server/database/ensure-database.ts';
import { listenTo } from '#server/database/notifications.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { createLogger, type Logger } from '#server/observability/logger.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { checkIn, newLocation } from '../gym/support.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { hasPgBouncer, startPgBouncer, type Pooler } from '../support/pooler.ts';
import { subscribe } from '../support/subscribe.ts';
import { testRun } from '../support/test-run.ts';
import { preparedGym, settled } from '../wizard/support.ts';
import { live } from './support/life.ts';

/** Less than the pool of a service, so that its connections share those of the pooler. */
const POOL_SIZE = 6;

class WritesItsZone extends Migration {
  override up(): void {
    this.addSql(`create table zone as select current_setting('timezone') as name`);
  }
}
const declaration: DatabaseDeclaration = {
  name: 'platform_pooled',
  entities: [],
  migrations: [{ name: 'writes_its_zone', class: WritesItsZone }],
};

const log = createLogger('pooler', 'silent');

(hasPgBouncer ? describe : describe.skip)(
  `behind PgBouncer in transaction mode${hasPgBouncer ? '' : ' (skipped: pgbouncer is not installed)'}`,
  () => {
    let pooler: Pooler;
    const postgres = () => withoutPooler(testRun.current().server);
    beforeAll(async () => {
      pooler = await startPgBouncer(postgres(), { default_pool_size: POOL_SIZE });
    });
    afterAll(() => pooler?.stop());

    describe('the platform', () => {
      let platform: TestPlatform;
      beforeAll(async () => {
        platform = await startPlatform({
          services: SERVICE_NAMES,
          gateway: true,
          databaseServer: pooler.server,
          env: { DATABASE_PREPARED_STATEMENTS: 'off' },
        });
      });
      afterAll(() => platform?.stop());

      it('stores data of every kind, answers a query over four services, and erases an account', async () => {
        const anna = await live(platform, await platform.register());
        const answers = await Promise.all(
          Array.from({ length: 3 * POOL_SIZE }, () =>
            platform.graph(
              'gateway',
              '{ me { displayName gym { name } nutritionDay { totals { calories } } } workouts(first: 1) { nodes { title } } }',
              {},
              anna,
            ),
          ),
        );
        for (const { data, errors } of answers) {
          expect(errors).toBeUndefined();
          expect(data.me.displayName).toBe(`Anna ${anna.mark}`);
        }
        const { status, headers } = await platform.rest('identity', 'DELETE', '/users/me', {
          token: anna.token,
          body: { password: anna.password },
        });
        expect(status).toBe(204);
        const receipt = await eventually(async () => {
          const { body } = await platform.rest('identity', 'GET', headers.get('location') ?? '');
          return body.finishedAt !== null && body;
        });
        expect(receipt.parts.map(({ service }: { service: string }) => service).toSorted()).toEqual(
          SERVICE_NAMES.toSorted(),
        );
      });

      it('notifies a subscriber of the occupancy', async () => {
        const member = await platform.register();
        const { qrCode } = (await platform.rest('identity', 'GET', '/users/me', member)).body;
        const locationId = await newLocation(platform, await platform.demo('admin@iron.test'));
        const events = subscribe(
          platform.url('gateway'),
          'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
          { id: locationId },
          member.token,
        );
        expect((await events.next()).data).toEqual({ occupancyChanged: { people: 0 } });
        await checkIn(platform, member.token, { qrCode, locationId });
        expect((await events.next()).data).toEqual({ occupancyChanged: { people: 1 } });
        await events.close();
      });

      it('carries out a keyed request once, also if it is sent several times at once', async () => {
        const { token } = await platform.register();
        const entry = { foodName: 'Apple', calories: 52, protein: 0, carbs: 14, fats: 0 };
        const keys = Array.from({ length: 8 }, () => randomUUID());
        const send = (key: string) =>
          platform.rest('nutrition', 'POST', '/log', {
            token,
            headers: { 'Idempotency-Key': key },
            body: entry,
          });
        const answers = await Promise.all([...keys, ...keys].map(send));
        expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(201));
        expect(new Set(answers.map(({ body }) => body.id)).size).toBe(8);
      });

      it('deploys a gym by the wizard', async () => {
        const token = await platform.demo('super@demo.test');
        const { id } = await preparedGym(platform);
        expect((await platform.rest('wizard', 'POST', `/${id}/deploy`, { token })).status).toBe(202);
        expect(await settled(platform, id)).toMatchObject({ status: 'DEPLOYED' });
      });

      it('keeps the connections to PostgreSQL within the size of the pool', async () => {
        const [row] = await platform.sql<{ count: number }>(
          'nutrition',
          "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'platform_nutrition'",
        );
        expect(row?.count).toBeLessThanOrEqual(POOL_SIZE);
      });
    });

    describe('a database', () => {
      it('is created and migrated on the direct connection; all connections have time limits, and UTC', async () => {
        const name = `${testRun.current().runId}_pooled`;
        await ensureDatabase(postgres(), name);
        const admin = new pg.Client(connectionTo(postgres(), maintenanceDatabase(postgres())));
        await admin.connect();
        await admin.query(`alter database ${name} set timezone to 'Asia/Kolkata'`);
        await admin.end();
        const warnings: string[] = [];
        const orm = await openDatabase(declaration, {
          server: pooler.server,
          name,
          preparesStatements: false,
          warn: (message) => warnings.push(message),
        });
        const settings = () =>
          orm.em.fork().execute(
            `select current_setting('timezone') as zone, current_setting('statement_timeout') as statement,
               current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle, name as migrated
             from zone, pg_sleep(0.05)`,
          );
        for (const rows of await Promise.all(Array.from({ length: 2 * POOL_SIZE }, settings)))
          expect(rows).toEqual([
            { zone: 'UTC', statement: '15s', lock: '10s', idle: '30s', migrated: 'UTC' },
          ]);
        expect(warnings).toEqual([]);
        await orm.close(true);
      });

      it('is reported if the pooler has a connection from before the time limits were set', async () => {
        const name = `${testRun.current().runId}_older`;
        await ensureDatabase(postgres(), name, {
          timeLimits: { statement_timeout: 60_000, lock_timeout: 0, idle_in_transaction_session_timeout: 0 },
        });
        const early = new pg.Client(connectionTo(pooler.server, name));
        await early.connect();
        await early.query('begin'); // the pooler opens its connection now, and keeps it
        await early.query('rollback');
        const warnings: string[] = [];
        const orm = await openDatabase(declaration, {
          server: pooler.server,
          name,
          warn: (message) => warnings.push(message),
        });
        expect(warnings).toEqual([expect.stringContaining('the time limits of statements do not apply')]);
        await orm.close(true);
        await early.end();
      });

      it('without DATABASE_DIRECT_URL is reported, because notifications may not arrive', async () => {
        const warnings: unknown[] = [];
        const watched = {
          ...log,
          warn: (_: object, text: string) => warnings.push(text),
        } as unknown as Logger;
        const database = maintenanceDatabase(postgres());
        for (const server of [pooler.server, { url: pooler.server.url }])
          await (await listenTo(server, database, ['news'], watched)).close();
        expect(warnings).toEqual([expect.stringContaining('set DATABASE_DIRECT_URL')]);
      });

      it('is UPSTREAM_UNAVAILABLE for a request if the pooler has no free connection in time', async () => {
        const small = await startPgBouncer(postgres(), { default_pool_size: 1, query_wait_timeout: 1 });
        const name = `${testRun.current().runId}_small`;
        const orm = await openDatabase(declaration, {
          server: small.server,
          name,
          preparesStatements: false,
        });
        const holder = new pg.Client(connectionTo(small.server, name));
        await holder.connect();
        const read = () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN).read('select name from zone', []);
        try {
          await holder.query('begin'); // has the pooler's only connection
          const error: unknown = await read().catch((thrown: unknown) => thrown);
          expect(refusalOfDatabase(error)).toMatchObject({ status: 503, retryAfterSeconds: 2 });
          await holder.query('rollback');
          expect(await read()).toEqual([{ name: 'UTC' }]);
        } finally {
          await holder.end();
          await orm.close(true);
          await small.stop();
        }
      });
    });
  },
);
