import type pg from 'pg';
import { Line, openEntrance, type Entrance } from './line.ts';
import { PostgresNode } from './postgres-node.ts';
import type { Reaper } from './reaper.ts';

/** A primary and its synchronous standby, and one address for each replica of the platform, which leads to the primary. */
export interface PostgresPair {
  /** The URLs for the replicas, in their order. */
  urls: readonly string[];
  /** The paths from the replicas to the primary, in the same order. */
  lines: readonly Line[];
  /** Ends the primary at once, and starts it again after `downMillis`. */
  crash(downMillis: number): Promise<void>;
  /** Ends the primary at once, promotes the standby, moves the address, and makes a new standby of the old primary. */
  failOver(): Promise<void>;
  /** Fills the disk of the primary for a while. A server that ended because of it is started again. */
  fillDisk(millis: number): Promise<void>;
  /** Whether the disk can be filled, which needs the right to mount a file system. */
  canFillDisk: boolean;
  query<Row extends pg.QueryResultRow>(database: string, text: string, values?: unknown[]): Promise<Row[]>;
  primary(): PostgresNode;
  stop(): Promise<void>;
}

/** @param folder an empty folder, which other users may enter */
export async function startPostgresPair(
  folder: string,
  replicas: number,
  reaper: Reaper,
): Promise<PostgresPair> {
  let primary = new PostgresNode(folder, 'a', reaper);
  let standby = new PostgresNode(folder, 'b', reaper);
  primary.initialise();
  await primary.start();
  const lines = Array.from({ length: replicas }, () => new Line(primary.endpoint));
  const entrances: Entrance[] = await Promise.all(lines.map((line) => openEntrance(() => [line])));
  const attach = async (): Promise<void> => {
    await standby.copyFrom(primary);
    await primary.requireStandby();
  };
  await attach();
  return {
    urls: entrances.map(({ port }) => `postgres://postgres@127.0.0.1:${port}/postgres`),
    lines,
    async crash(downMillis) {
      await primary.crash();
      await new Promise((resolve) => setTimeout(resolve, downMillis));
      await primary.start();
    },
    async failOver() {
      await primary.crash(); // so the old primary can acknowledge nothing from here on
      await standby.promote();
      [primary, standby] = [standby, primary];
      for (const line of lines) {
        line.endpoint = primary.endpoint;
        line.cut();
      }
      await attach();
    },
    async fillDisk(millis) {
      primary.disk.fill();
      await new Promise((resolve) => setTimeout(resolve, millis));
      primary.disk.free();
      await primary.ensureRunning();
    },
    canFillDisk: primary.disk.canBeFilled,
    query: (database, text, values = []) => primary.query(text, { database, values }),
    primary: () => primary,
    async stop() {
      await Promise.all(entrances.map((entrance) => entrance.close()));
      await standby.stop();
      await primary.crash(); // the data are removed anyway
      for (const { disk } of [primary, standby]) disk.remove();
    },
  };
}
