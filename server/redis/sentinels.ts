import { ErrorReply } from 'redis';
import { inTime } from './in-time.ts';
import { clientFor, type RedisClient, type RedisTls } from './redis-client.ts';
import { nameOf, type RedisAddress, type RedisTarget } from './redis-url.ts';

type SentinelTarget = Extract<RedisTarget, { kind: 'sentinel' }>;

const ANSWER_MILLIS = 1_000; // 1 s

/** The sentinels answer, but know no master of that name. */
export class UnknownMasterError extends Error {}

/**
 * Asks sentinels for the address of the master: the first one that knows the master decides
 * (https://redis.io/docs/latest/develop/reference/sentinel-clients/).
 *
 * The client `createSentinel` of the package does not fit: while the master does not answer, it keeps a command and sends it
 * to the next master, long after the caller's time limit, and meanwhile connects to a sentinel again without a pause.
 */
export class Sentinels {
  private readonly target: SentinelTarget;
  private readonly tls: RedisTls | undefined;
  /** The addresses of the sentinels. The sentinel that answered last is first. */
  private addresses: readonly RedisAddress[];

  constructor(target: SentinelTarget, tls: RedisTls | undefined) {
    this.target = target;
    this.tls = tls;
    this.addresses = target.sentinels;
  }

  /** @throws Error if no sentinel answers, or none knows the master */
  async master(): Promise<RedisAddress> {
    const errors: unknown[] = [];
    for (const address of this.addresses) {
      try {
        const master = await this.askOne(address);
        this.addresses = [address, ...this.addresses.filter((other) => other !== address)];
        return master;
      } catch (error) {
        errors.push(error);
      }
    }
    const refusal = errors.find(
      (error) => error instanceof ErrorReply || error instanceof UnknownMasterError,
    );
    throw refusal ?? new AggregateError(errors, 'no sentinel answers');
  }

  /** A client of the present master, which is not connected yet. */
  async client(): Promise<RedisClient> {
    const { credentials, database } = this.target;
    return clientFor(await this.master(), { tls: this.tls, credentials, database });
  }

  /** Rejects if the server is a replica: the sentinel's answer may be older than a failover. */
  async verify(client: RedisClient): Promise<void> {
    const [role] = await inTime(client.sendCommand<[string]>(['ROLE']), ANSWER_MILLIS);
    if (role !== 'master') throw new Error('the server that the sentinels name is not the master');
  }

  private async askOne(address: RedisAddress): Promise<RedisAddress> {
    const { master, sentinelCredentials } = this.target;
    const client = clientFor(address, { tls: this.tls, credentials: sentinelCredentials, database: 0 });
    client.on('error', () => undefined); // the command fails with it
    try {
      await inTime(client.connect(), ANSWER_MILLIS);
      const answer = await inTime(
        client.sendCommand<[string, string] | null>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master]),
        ANSWER_MILLIS,
      );
      if (!answer) throw new UnknownMasterError(`${nameOf(address)} knows no master "${master}"`);
      return { host: answer[0], port: Number(answer[1]) };
    } finally {
      client.destroy();
    }
  }
}
