import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import type { Viewer } from '#server/auth/viewer.ts';
import { PlatformError, unauthenticated } from '#server/errors.ts';
import { Quota } from '#server/http/quota.ts';
import { oneAfterTheOther } from '#server/http/sockets.ts';
import { socketsPerUser } from '#server/http/socket-limits.ts';
import { Gauge, type Metrics } from '#server/observability/metrics.ts';
import { PING_MILLIS } from '../context/heartbeat.ts';
import { TokenWatch } from '../context/token-watch.ts';
import type { GatewaySettings } from '../settings.ts';
import type { ResultStream } from './result-stream.ts';

interface OpenStreamsOptions {
  verifier: TokenVerifier;
  settings: GatewaySettings;
  metrics: Metrics;
  /** Default: `PING_MILLIS`. */
  heartbeatMillis?: number;
}

/** The open streams of subscriptions: their limits, tokens and heartbeats, and their end when the gateway stops. */
export class OpenStreams {
  private readonly settings: GatewaySettings;
  private readonly open = new Set<ResultStream>();
  private readonly ending = new Set<ResultStream>();
  private readonly perAddress: Quota;
  private readonly perUser: Quota;
  private readonly tokens: TokenWatch;
  private readonly beating: NodeJS.Timeout;
  private isClosing = false;
  private readonly gauge: Gauge;

  constructor({ verifier, settings, metrics, heartbeatMillis = PING_MILLIS }: OpenStreamsOptions) {
    this.settings = settings;
    this.perAddress = new Quota(settings.rateLimits ? settings.socketsPerAddress : Infinity);
    this.perUser = socketsPerUser(settings);
    this.tokens = new TokenWatch(verifier);
    this.beating = setInterval(() => {
      for (const stream of [...this.open, ...this.ending]) stream.beat();
    }, heartbeatMillis).unref();
    const { open } = this;
    this.gauge = new Gauge({
      name: 'gateway_open_streams',
      help: 'Subscriptions open now over HTTP, by server-sent events or multipart.',
      registers: [metrics.registry],
      collect() {
        this.set(open.size);
      },
    });
  }

  /**
   * Counts a stream that is about to open.
   * @returns the function that ends the reservation
   * @throws RATE_LIMITED if the address or the user has too many streams, SERVER_STOPPING
   */
  reserve(viewer: Viewer, address: string): () => void {
    if (this.isClosing) throw stopping();
    if (!this.perAddress.enter(address)) throw tooMany('address', this.settings.socketsPerAddress);
    const userId = viewer.kind === 'user' ? viewer.userId : undefined;
    if (userId !== undefined && !this.perUser.enter(userId)) {
      this.perAddress.leave(address);
      throw tooMany('user', this.settings.socketsPerUser);
    }
    return () => {
      this.perAddress.leave(address);
      if (userId !== undefined) this.perUser.leave(userId);
    };
  }

  /** Runs the stream until it ends. @throws GraphQLError or PlatformError if it is refused before its first result */
  async run(stream: ResultStream, viewer: Viewer): Promise<void> {
    this.open.add(stream);
    const unwatch = this.tokens.watch(viewer, (reason) => void stream.interrupt(unauthenticated(reason)));
    try {
      await stream.run();
    } finally {
      unwatch();
      this.open.delete(stream);
    }
  }

  /** Runs a stream that ends by itself, such as an answer in parts: like other answers it ends even if the gateway stops. */
  async runToEnd(stream: ResultStream): Promise<void> {
    this.ending.add(stream);
    try {
      await stream.run();
    } finally {
      this.ending.delete(stream);
    }
  }

  /** Interrupts all streams, one after the other, so that clients connect to another replica. Sockets end in the same way. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.beating);
    this.tokens.stop();
    await oneAfterTheOther(
      [...this.open],
      (stream) => stream.interrupt(stopping()),
      // The other half of the grace period remains for the requests that are still running.
      this.settings.stopGracePeriodMillis / 2,
    );
  }
}

const stopping = (): PlatformError =>
  new PlatformError('SERVER_STOPPING', 'This server stops; send the operation again.', {
    retryAfterSeconds: 1,
  });

const tooMany = (holder: 'address' | 'user', bound: number): PlatformError =>
  new PlatformError(
    'RATE_LIMITED',
    `One ${holder} may have ${bound} subscriptions over HTTP at once; end one of them.`,
  );
