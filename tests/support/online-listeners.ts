import { randomUUID } from 'node:crypto';
import type { TestPlatform } from './platform.ts';
import { subscribe, type Subscription } from './subscribe.ts';

export const ONLINE =
  'subscription { onlineUsersUpdated { users { status activity user { id displayName gym { name } } } } }';

interface OnlineUsers {
  onlineUsersUpdated: { users: { activity: string | null; user: { id: string } }[] };
}

export interface Person {
  id: string;
  token: string;
}
/** A subscriber that stores its events. */
export interface Listener {
  /** For each event so far, the activities of its users by their ids. */
  readonly updates: Map<string, string | null>[];
  /** Resolves once the latest event contains the user with this activity. */
  shows(who: Person, activity: string): Promise<void>;
  readonly subscription: Subscription;
}

/** Gym members who subscribe to online users, through the gateway of a platform. */
export function onlineListeners(platform: () => TestPlatform) {
  const open: Subscription[] = [];
  async function newGym(): Promise<string> {
    const { data } = await platform().graph<{ createGym: { id: string } }>(
      'gym',
      'mutation ($input: CreateGymInput!) { createGym(input: $input) { id } }',
      { input: { name: `Gym ${randomUUID()}`, slug: `gym-${randomUUID().slice(0, 12)}` } },
      { token: await platform().demo('super@demo.test') },
    );
    return data.createGym.id;
  }
  const people = (count: number, gymId: string): Promise<Person[]> =>
    Promise.all(Array.from({ length: count }, () => platform().register(gymId)));
  const announce = (who: Person, activity: string) =>
    platform().graph(
      'squad',
      'mutation ($input: GoOnlineInput) { goOnline(input: $input) { online } }',
      { input: { activity } },
      { token: who.token },
    );
  const block = (who: Person, other: Person) =>
    platform().rest('squad', 'POST', `/blocks/${other.id}`, { token: who.token });
  const unblock = (who: Person, other: Person) =>
    platform().rest('squad', 'DELETE', `/blocks/${other.id}`, { token: who.token });

  function listen(who: Person, query = ONLINE): Listener {
    const subscription = subscribe<OnlineUsers>(platform().url('gateway'), query, {}, who.token);
    open.push(subscription);
    const updates: Map<string, string | null>[] = [];
    const waiting = new Set<() => void>();
    const receive = async (): Promise<void> => {
      for (;;) {
        const { data, errors } = await subscription.next();
        if (errors) throw new Error(JSON.stringify(errors));
        updates.push(
          new Map(data?.onlineUsersUpdated.users.map(({ activity, user }) => [user.id, activity])),
        );
        for (const look of waiting) look();
      }
    };
    receive().catch(() => undefined);
    return {
      updates,
      subscription,
      shows: ({ id }, activity) =>
        new Promise((resolve) => {
          const look = (): void => {
            if (updates.at(-1)?.get(id) !== activity) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        }),
    };
  }
  async function metricsOf(name: 'gateway' | 'squad'): Promise<(figure: string) => number> {
    const { body } = await platform().rest(name, 'GET', '/metrics');
    const text = String(body);
    return (figure) => Number(new RegExp(`^${figure}\\{[^}]*\\} (\\d+)`, 'm').exec(text)?.[1]);
  }
  const figureOf = async (name: 'gateway' | 'squad', figure: string): Promise<number> =>
    (await metricsOf(name))(figure);
  /** The gateway's metrics of subscriptions. */
  async function figures(): Promise<Record<'upstreams' | 'groups' | 'subscribers' | 'executions', number>> {
    const figure = await metricsOf('gateway');
    return {
      upstreams: figure('gateway_subscription_upstreams'),
      groups: figure('gateway_subscription_groups'),
      subscribers: figure('gateway_subscription_subscribers'),
      executions: figure('gateway_subscription_executions_total'),
    };
  }
  /** Waits until all subscribers of earlier tests have left. */
  async function subscribersHaveLeft(): Promise<void> {
    while ((await figures()).subscribers > 0) await new Promise(setImmediate);
  }

  return { open, newGym, people, announce, block, unblock, listen, figures, figureOf, subscribersHaveLeft };
}
