import { SquadClient } from '../../../subgraphs/squad/client/squad-client.socket.ts';
import type { Person } from '../support/people.ts';
import { request } from './requests.ts';

/**
 * Waits until all earlier changes have reached every instance and were sent to its listeners. For this it makes changes
 * in a gym of its own and waits for them. They arrive after the earlier ones, because an instance receives the messages of
 * Redis in their order, Redis answers commands in their order, and a board's update is due a fixed time after its change.
 */
export class Settling {
  private readonly urls: readonly string[];
  private readonly people: readonly Person[];
  private readonly sockets: readonly SquadClient[];
  private count = 0;

  private constructor(urls: readonly string[], people: readonly Person[], sockets: readonly SquadClient[]) {
    this.urls = urls;
    this.people = people;
    this.sockets = sockets;
  }

  /** @param urls The URLs of the instances. At each of them one user of the gym listens. */
  static async open(
    urls: readonly string[],
    newGym: (count: number) => Promise<Person[]>,
  ): Promise<Settling> {
    const people = await newGym(urls.length);
    const sockets = await Promise.all(
      people.map(({ token }, at) => SquadClient.connect({ url: urls[at] as string, token })),
    );
    for (const socket of sockets) await socket.send('user_online', {});
    return new Settling(urls, people, sockets);
  }

  async settled(): Promise<void> {
    if (this.urls.length > 1) {
      await this.journalsAreRead();
      // A second time, because an instance that was reading a journal meanwhile has to read later records of it.
      await this.journalsAreRead();
    }
    await this.presenceIsDelivered();
  }

  async close(): Promise<void> {
    await Promise.all(this.sockets.map((socket) => socket.close()));
  }

  /** A block changes the journals of two users, who listen at different instances and then do not see each other. */
  private async journalsAreRead(): Promise<void> {
    const blocked = this.people[1] as Person;
    const seen = this.everySocketSees(({ users }) => users.length === 1);
    await this.call(0, 'POST', `/blocks/${blocked.id}`);
    await seen;
    const seenAgain = this.everySocketSees(({ users }) => users.length === 2);
    await this.call(0, 'DELETE', `/blocks/${blocked.id}`);
    await seenAgain;
  }

  /** Every instance makes a change of its own, because only the messages of one instance are in order. */
  private async presenceIsDelivered(): Promise<void> {
    const activity = `settles ${(this.count += 1)}`;
    const seen = this.everySocketSees(({ users }) => users.every((user) => user.activity === activity));
    await Promise.all(this.people.map((_person, at) => this.call(at, 'PUT', '/presence', { activity })));
    await seen;
  }

  private async everySocketSees(
    fits: (update: { users: readonly { activity: string | null }[] }) => boolean,
  ): Promise<void> {
    await Promise.all(
      this.sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            const stop = socket.on('online_users_updated', (update) => {
              if (!fits(update)) return;
              stop();
              resolve();
            });
          }),
      ),
    );
  }

  /** Sends a request to the instance at this index, as the user who listens there. */
  private async call(at: number, method: string, path: string, body?: object): Promise<void> {
    const url = this.urls[at] as string;
    const { status } = await request(url, this.people[at] as Person, method, path, body);
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}`);
  }
}
