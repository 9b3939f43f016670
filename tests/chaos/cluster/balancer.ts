import { Agent, get } from 'node:http';
import { Line, openEntrance, type Entrance } from './line.ts';

const POLL_MILLIS = 500;
const POLL_TIMEOUT_MILLIS = 1_000;

/** A TCP balancer over the replicas of one server. It sends new connections in turn to the replicas that are ready. */
export interface Balancer {
  url: string;
  /** The paths to the replicas. A line's endpoint is replaced if its replica starts at another port. */
  lines: readonly Line[];
  /** How many replicas were ready at the last poll. */
  ready(): number;
  close(): Promise<void>;
}

/** @param replicas how many replicas there are; the endpoints of their lines are set when they have started */
export async function openBalancer(replicas: number): Promise<Balancer> {
  const lines = Array.from({ length: replicas }, () => new Line({ host: '127.0.0.1', port: 1 }));
  const isReady = lines.map(() => false);
  let turn = 0;
  const entrance: Entrance = await openEntrance(() => {
    turn += 1;
    const usable = lines.filter((_line, index) => isReady[index]);
    return usable.map((_line, index) => usable[(index + turn) % usable.length]!);
  });
  const agent = new Agent({ keepAlive: true });
  const polls = lines.map((line, index) =>
    setInterval(() => {
      void answersReady(agent, line).then((answer) => (isReady[index] = answer));
    }, POLL_MILLIS),
  );
  return {
    url: `http://127.0.0.1:${entrance.port}`,
    lines,
    ready: () => isReady.filter(Boolean).length,
    async close() {
      for (const poll of polls) clearInterval(poll);
      agent.destroy();
      await entrance.close();
    },
  };
}

/** A replica that cannot be reached over its line is not ready, either. */
function answersReady(agent: Agent, { endpoint, isSilent }: Line): Promise<boolean> {
  if (isSilent || !('port' in endpoint)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const request = get(
      { agent, ...endpoint, path: '/health/ready', timeout: POLL_TIMEOUT_MILLIS },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode === 200));
        answer.once('error', () => resolve(false));
      },
    );
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
