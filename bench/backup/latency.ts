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
    while (!isOver)
      for (const [at, body] of REQUESTS) {
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
const MEAL = { foodName: 'Oatmeal', calories: 158, protein: 5, carbs: 27, fats: 3 };

const REQUESTS: readonly (readonly [string, object])[] = [
  ['/graphql', { query: HOME }],
  ['/nutrition/log', MEAL],
];
