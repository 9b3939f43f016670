import { ErrorReply } from 'redis';
import { inTime } from './in-time.ts';
import { clientFor, type RedisAccess, type RedisClient } from './redis-client.ts';
import { RedisNode } from './redis-node.ts';
import { Sentinels, UnknownMasterError } from './sentinels.ts';
import { nameOf } from './redis-url.ts';

/** The commands that this platform uses; the same ones for a server and for a cluster. */
export type RedisCommands = Pick<
  RedisClient,
  | 'del'
  | 'eval'
  | 'exists'
  | 'expire'
  | 'get'
  | 'hDel'
  | 'hGet'
  | 'hGetAll'
  | 'hLen'
  | 'hSet'
  | 'hmGet'
  | 'incr'
  | 'multi'
  | 'pExpire'
  | 'pTTL'
  | 'ping'
  | 'publish'
  | 'sAdd'
  | 'sMembers'
  | 'sRem'
  | 'set'
>;

export interface RedisEvents {
  /** The connection is ready, at the start or again; with a cluster, its nodes are known for the first time. */
  onReady(): void;
  /** @param keyAtNode of a cluster: a key of the node whose connection was lost */
  onLost(error: unknown, keyAtNode?: string): void;
}

/** The servers that a REDIS_URL names, and the connections for commands to them. */
export interface RedisServers {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly opened: Promise<void>;
  readonly isReady: boolean;
  /** The name of the server that has the key now; the same name for all keys if there is only one server. */
  nodeOf(key: string): string;
  /** Undefined if the server that has the key is not connected. */
  commandsFor(key: string): RedisCommands | undefined;
  /** Sends a command with arguments as they are; its keys are at the server of `key`. Without a key, to all masters. */
  send(key: string | undefined, args: readonly string[]): Promise<unknown>;
  /** Opens a separate connection to the server with the name `node`, to listen to channels there. */
  openListener(node: string, events: RedisListenerEvents): RedisNode;
  /** Whether channels are sharded: a message then reaches only one server of a cluster. */
  readonly isSharded: boolean;
  /** To be called if the server of the key refuses writes, or does not answer: it may not be the master any more. */
  findMaster(key: string, reason: string): void;
  close(): void;
}

export interface RedisListenerEvents {
  onReady(client: RedisClient): void;
  onLost(error: unknown): void;
}

const CHECK_MASTER_MILLIS = 5_000; // 5 s

/** One server, or the master that sentinels name. */
export class OneServer implements RedisServers {
  readonly isSharded = false;
  private readonly makeClient: () => Promise<RedisClient>;
  private readonly verify: (client: RedisClient) => Promise<void>;
  private readonly commands: RedisNode;
  private readonly checking: NodeJS.Timeout | undefined;

  constructor({ target, tls }: RedisAccess, events: RedisEvents) {
    if (target.kind === 'cluster') throw new Error('a cluster has several servers');
    if (target.kind === 'server') {
      const { address, credentials, database } = target;
      this.makeClient = async () => clientFor(address, { tls, credentials, database });
      this.verify = requireStandalone;
    } else {
      const sentinels = new Sentinels(target, tls);
      this.makeClient = () => sentinels.client();
      this.verify = (client) => sentinels.verify(client);
      this.checking = setInterval(() => void this.checkMaster(sentinels), CHECK_MASTER_MILLIS);
      this.checking.unref();
    }
    this.commands = this.openListener('', events);
  }

  get opened(): Promise<void> {
    return this.commands.opened;
  }

  get isReady(): boolean {
    return this.commands.ready !== undefined;
  }

  nodeOf(): string {
    return '';
  }

  commandsFor(): RedisCommands | undefined {
    return this.commands.ready;
  }

  async send(_key: string | undefined, args: readonly string[]): Promise<unknown> {
    const client = this.commands.ready;
    if (!client) throw new Error('Redis is not connected');
    return client.sendCommand([...args]);
  }

  openListener(_node: string, events: RedisListenerEvents): RedisNode {
    const { makeClient: client, verify } = this;
    return new RedisNode({ client, verify, ...events });
  }

  findMaster(_key: string, reason: string): void {
    this.commands.replace(reason);
  }

  close(): void {
    clearInterval(this.checking);
    this.commands.close();
  }

  /**
   * Usually a failover ends the connections to the old master. If the old master is cut off from the sentinels, but not from
   * this process, only the sentinels can say which server is the master now.
   */
  private async checkMaster(sentinels: Sentinels): Promise<void> {
    const { ready } = this.commands;
    const socket = ready?.options.socket as { host: string; port: number } | undefined; // `clientFor` has set both
    if (!socket) return;
    const master = await sentinels.master().catch(() => undefined);
    if (master && this.commands.ready === ready && nameOf(master) !== nameOf(socket))
      this.commands.replace(`the sentinels name another master, ${nameOf(master)}`);
  }
}

const VERIFY_MILLIS = 2_000; // 2 s

/** Rejects if the server refuses a command for lack of a password, or if it is a node of a cluster or a sentinel. */
async function requireStandalone(client: RedisClient): Promise<void> {
  await inTime(client.ping(), VERIFY_MILLIS);
  const info = await inTime(client.info('server'), VERIFY_MILLIS).catch((error: unknown) => {
    if (error instanceof ErrorReply) return ''; // the user may not use INFO
    throw error;
  });
  const mode = /redis_mode:(\w+)/.exec(info)?.[1];
  if (mode === 'cluster')
    throw new WrongKindError('the server is a node of a cluster; write redis+cluster://');
  if (mode === 'sentinel')
    throw new WrongKindError('the server is a sentinel; write redis+sentinel://host:26379/master-name');
}

class WrongKindError extends Error {}

/** Whether the error shows a wrong setting, such as URL or certificate. After other errors Redis may only be unreachable now. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof WrongKindError || error instanceof UnknownMasterError) return true;
  if (error instanceof ErrorReply)
    return (
      /^(WRONGPASS|NOAUTH|NOPERM|ERR)\b/.test(error.message) &&
      !/max number of clients|loading/i.test(error.message)
    );
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^(ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code);
}
