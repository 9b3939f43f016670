import { dayBefore } from '../platform/people.ts';

/** The latency of requests that one member sends one after the other: a query over five services, and a write. */
export class Latency {
  private readonly gateway: string;
  private readonly headers: Record<string, string>;

  private constructor(gateway: string, token: string) {
    this.gateway = gateway;
    this.headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  }

  static async of(gateway: string, email: string, password: string): Promise<Latency> {
    const response = await fetch(`${gateway}/identity/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    const { token } = (await response.json()) as { token: string };
    return new Latency(gateway, token);
  }

  /** Sends requests for a time, or until the promise settles. Returns their latencies in milliseconds. */
  async during(until: number | Promise<unknown>): Promise<number[]> {
    const latencies: number[] = [];
    let isOver = false;
    const over = typeof until === 'number' ? new Promise((resolve) => setTimeout(resolve, until)) : until;
    void over.finally(() => (isOver = true));
    for (let round = 0; !isOver; round += 1)
      for (const [at, body] of requestsOf(round)) {
        const startedAt = performance.now();
        const response = await fetch(this.gateway + at, {
          method: 'POST',
          headers: this.headers,
          body: JSON.stringify(body),
        });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${at}: ${response.status}`);
        latencies.push(performance.now() - startedAt);
      }
    return latencies;
  }

  static at(latencies: readonly number[], share: number): number {
    return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * share)] ?? Number.NaN;
  }
}

const HOME = `{ me { displayName gym { locations { name occupancy { people } } } nutritionDay { totals { calories } } presence { online } }
  workouts(first: 1) { nodes { title } } }`;
/** The requests of a round. The meals are on different days, because a day can have at most 1,000 entries. */
const requestsOf = (round: number): readonly (readonly [string, object])[] => [
  ['/graphql', { query: HOME }],
  [
    '/nutrition/log',
    { foodName: 'Oatmeal', calories: 158, protein: 5, carbs: 27, fats: 3, localDate: dayBefore(round % 500) },
  ],
];
