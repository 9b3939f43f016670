import { setTimeout as sleep } from 'node:timers/promises';
import { createCluster } from 'redis';
import { clientFor, clientOptions, type RedisAccess } from './redis-client.ts';
import { hashSlotOf } from './hash-slot.ts';
import { RedisNode } from './redis-node.ts';
import type { RedisCommands, RedisEvents, RedisListenerEvents, RedisServers } from './redis-servers.ts';
import type { RedisAddress, RedisTarget } from './redis-url.ts';

type ClusterTarget = Extract<RedisTarget, { kind: 'cluster' }>;

function clusterFor({ nodes, credentials }: ClusterTarget, tls: RedisAccess['tls']) {
  const options = clientOptions(tls, credentials);
  return createCluster({
    RESP: 2,
    rootNodes: nodes.map(({ host, port }) => ({ socket: { host, port } })),
    defaults: {
      ...options,
      socket: {
        ...options.socket,
        reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000) * (0.5 + Math.random() / 2),
      },
    },
    // Otherwise the start waits until every node is connected, also one that is about to be replaced by its replica.
    minimizeConnections: true,
    // If a node has been unreachable for this time (in ms), the other nodes are asked which one has its slots now.
    topologyRefreshOnReconnectionAttemptStrategy: 500,
  });
}

/**
 * The nodes of a cluster. Commands are sent by the cluster client of the package, which follows slots that move. Channels are
 * sharded: a message reaches only the node that has the channel's slot, not all nodes.
 */
export class ClusterServers implements RedisServers {
  readonly isSharded = true;
  readonly opened: Promise<void>;
  private readonly access: RedisAccess;
  private readonly target: ClusterTarget;
  private readonly cluster: ReturnType<typeof clusterFor>;
  private readonly commands: RedisCommands;
  private readonly events: RedisEvents;
  /** Why the cluster client could not ask a node for the other nodes. */
  private lastError: unknown;
  private isClosed = false;

  constructor(access: RedisAccess, events: RedisEvents) {
    if (access.target.kind !== 'cluster') throw new Error('not the URL of a cluster');
    this.access = access;
    this.target = access.target;
    this.events = events;
    const cluster = clusterFor(access.target, access.tls);
    this.cluster = cluster;
    cluster.on('error', (error: unknown) => (this.lastError = error));
    cluster.on('node-error', (error: unknown, { host, port }: RedisAddress) => {
      const key = this.keyAt(`${host}:${port}`);
      if (key !== undefined) events.onLost(error, key);
    });
    // The cluster's commands have the same parameters and results as those of one server.
    this.commands = Object.assign(Object.create(cluster) as RedisCommands, {
      publish: (channel: string, message: string) => cluster.sPublish(channel, message),
    });
    this.opened = this.connect().then((isConnected) =>
      isConnected ? this.connectNodes() : void this.connectAgain(),
    );
  }

  get isReady(): boolean {
    return this.cluster.isReady;
  }

  nodeOf(key: string): string {
    return this.masterOf(key)?.address ?? '';
  }

  commandsFor(key: string): RedisCommands | undefined {
    const master = this.masterOf(key);
    if (!master) return undefined;
    const { client, connectPromise } = master;
    // The first command connects the node, and further commands wait for that. After a lost connection no command waits.
    return !client || client.isReady || connectPromise ? this.commands : undefined;
  }

  async send(key: string | undefined, args: readonly string[]): Promise<unknown> {
    return this.cluster.sendCommand(key, false, [...args]);
  }

  openListener(node: string, events: RedisListenerEvents): RedisNode {
    const { tls } = this.access;
    const { credentials } = this.target;
    return new RedisNode({
      client: async () => {
        const known = this.cluster.nodeByAddress.get(node);
        if (!known) throw new Error(`${node} is not a node of the cluster any more`);
        return clientFor(known, { tls, credentials, database: 0 });
      },
      ...events,
    });
  }

  /** The cluster client does this itself if a connection is lost or a command is refused, but not if a node hangs. */
  findMaster(key: string): void {
    const master = this.masterOf(key);
    if (!master) return;
    // oxlint-disable-next-line no-underscore-dangle -- in the types of the package; it has no other name
    this.cluster._slots
      .rediscover(undefined, new Set([master.address]))
      .catch((error: unknown) => (this.lastError = error));
  }

  close(): void {
    this.isClosed = true;
    if (this.cluster.isOpen) this.cluster.destroy();
  }

  private masterOf(key: string) {
    return this.cluster.isReady ? this.cluster.slots[hashSlotOf(key)]?.master : undefined;
  }

  /** A key whose slot the node has; undefined if it has none. */
  private keyAt(node: string): string | undefined {
    for (let tries = 0; tries < 1_000; tries += 1)
      if (this.nodeOf(`probe:${tries}`) === node) return `probe:${tries}`;
    return undefined;
  }

  private async connect(): Promise<boolean> {
    try {
      await this.cluster.connect();
      if (this.isClosed) this.cluster.destroy();
      else this.events.onReady();
      return true;
    } catch (error) {
      this.events.onLost(this.lastError ?? error);
      return false;
    }
  }

  private async connectAgain(): Promise<void> {
    for (let pauseMillis = 200; !this.isClosed; pauseMillis = Math.min(pauseMillis * 2, 2_000)) {
      await sleep(pauseMillis, undefined, { ref: false });
      if (this.isClosed || (await this.connect())) return;
    }
  }

  /** The first commands after a start must not wait for a connection. */
  private async connectNodes(): Promise<void> {
    await Promise.allSettled(this.cluster.masters.map((node) => this.cluster.nodeClient(node)));
  }
}
