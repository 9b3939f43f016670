/**
 * Writes numbers into a journal in PostgreSQL, each by one request with an `Idempotency-Key`, and prints each number that is
 * acknowledged, until it is killed. Arguments: the database server and the database (JSON), the id of the journal, the
 * first number.
 */
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { createLogger } from '#server/observability/logger.ts';
import { databaseIdempotency, keyedRequestLimiter } from '#server/rest/idempotency.database.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { database } from '../../../subgraphs/squad/database.ts';
import { DatabaseJournals } from '../../../subgraphs/squad/storage/journal.database.ts';
import { numbers } from '../journals/kinds.ts';
import { writeOnce } from '../journals/write-once.ts';

const [address = '', id = '', first = '0'] = process.argv.slice(2);
const log = createLogger('squad', 'silent');
const orm = await openDatabase(database, JSON.parse(address) as Parameters<typeof openDatabase>[1]);
const journals = new DatabaseJournals({ orm, log });
const limiter = keyedRequestLimiter();
for (let n = Number(first); ; n += 1) {
  const unit = new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
  await writeOnce(databaseIdempotency(unit, limiter), journals.of(numbers), id, n);
  process.stdout.write(`${n}\n`);
}
