import type { Client } from 'graphql-ws';
import { SquadClient } from '../../../subgraphs/squad/client/squad-client.socket.ts';
import { graphClient, subscribed, type Person, type Received } from '../support/people.ts';
import type { Transcript } from './transcript.ts';

interface OnlineEvent {
  onlineUsersUpdated: { users: { user: { id: string }; activity: string | null }[] };
}

/** The doors at which a viewer listens: two raw sockets, and two subscriptions of the graph. */
export class ListeningDoors {
  readonly whole: SquadClient;
  readonly delta: SquadClient;
  private readonly graph: Client;
  private readonly online: Received<OnlineEvent>;
  private readonly invites: Received<unknown>;
  /** The number of recorded events of each door. */
  private readonly recorded = new Map<string, number>();

  private constructor(
    whole: SquadClient,
    delta: SquadClient,
    graph: Client,
    online: Received<OnlineEvent>,
    invites: Received<unknown>,
  ) {
    this.whole = whole;
    this.delta = delta;
    this.graph = graph;
    this.online = online;
    this.invites = invites;
  }

  /** @param urls The URLs of the instances. The second raw socket is at the second instance, if there is one. */
  static async open(urls: readonly string[], { token }: Person): Promise<ListeningDoors> {
    const [url = '', other = url] = urls;
    const whole = await SquadClient.connect({ url, token });
    await whole.send('user_online', {});
    const delta = await SquadClient.connect({ url: other, token });
    await delta.send('user_online', { delta: true });
    const graph = graphClient(url, token);
    const [online, invites] = await Promise.all([
      subscribed<OnlineEvent>(
        graph,
        'subscription { onlineUsersUpdated { users { user { id presence { online status } } status activity since } removed full seq } }',
      ),
      subscribed<unknown>(
        graph,
        'subscription { squadInviteReceived { id squadId status message createdAt from { id } to { id } } }',
      ),
    ]);
    await online.next(() => true); // so that the first event contains nobody who comes online later
    return new ListeningDoors(whole, delta, graph, online, invites);
  }

  /**
   * Resolves once both sockets and the subscription `onlineUsersUpdated` have delivered this activity of the user
   * `markerId`. Then they have delivered all earlier events, too.
   */
  async reached(markerId: string, activity: string): Promise<void> {
    const contain = (users: readonly { userId: string; activity: string | null }[]) =>
      users.some((user) => user.userId === markerId && user.activity === activity);
    await Promise.all([
      ...[this.whole, this.delta].map((socket) =>
        socket.next('online_users_updated', ({ users }) => contain(users)),
      ),
      this.online.next(({ onlineUsersUpdated }) =>
        contain(onlineUsersUpdated.users.map((one) => ({ userId: one.user.id, activity: one.activity }))),
      ),
    ]);
  }

  /** Records the events since the last call, sorted by kind, because events of different kinds have no defined order. */
  recordTo(transcript: Transcript, step: number): void {
    const record = (door: string, events: readonly unknown[], kindOf: (event: unknown) => string) => {
      const from = this.recorded.get(door) ?? 0;
      this.recorded.set(door, events.length);
      for (const event of inKinds(events.slice(from), kindOf)) transcript.add(step, door, event);
    };
    const eventOf = (frame: unknown) => (frame as { event: string }).event;
    record('socket', this.whole.frames, eventOf);
    record('delta socket', this.delta.frames, eventOf);
    record('onlineUsersUpdated', this.online.events, () => '');
    record('squadInviteReceived', this.invites.events, () => '');
  }

  async close(): Promise<void> {
    await Promise.all([this.whole.close(), this.delta.close(), this.graph.dispose()]);
  }
}

/** Sorted by kind; the events of a kind stay in their order. */
function inKinds(events: readonly unknown[], kindOf: (event: unknown) => string): unknown[] {
  const kinds = Map.groupBy(events, kindOf);
  return [...kinds.keys()].toSorted().flatMap((kind) => kinds.get(kind) ?? []);
}
