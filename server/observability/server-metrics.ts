import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { ServerSettings } from '../settings.ts';
import { Gauge, processRegistry, type Metrics } from './metrics.ts';

/** Adds the gauge of the parts that do not work although the server continues. @param losses as in `GET /health/ready` */
export function measureLosses({ registry }: Metrics, losses: () => Record<string, string>): void {
  const degraded: Gauge<'part'> = new Gauge({
    name: 'degraded',
    help: 'A part of the server that does not work although the server continues (`lost` of GET /health/ready): 1; absent if it works.',
    labelNames: ['part'],
    registers: [registry],
    collect() {
      degraded.reset();
      for (const part of Object.keys(losses())) degraded.set({ part }, 1);
    },
  });
}

/** The data folder of this process. */
let dataDir: string | undefined;

/** Sets the folder whose file system the metrics of the process show. */
export function measureDataDir(settings: Pick<ServerSettings, 'dataDir'>): void {
  dataDir = settings.dataDir;
}

const free: Gauge = new Gauge({
  name: 'data_dir_free_bytes',
  help: 'Free bytes of the file system of DATA_DIR that this process may use.',
  registers: [processRegistry],
  collect: () => setFrom(free, ({ bavail, bsize }) => bavail * bsize),
});
const size: Gauge = new Gauge({
  name: 'data_dir_size_bytes',
  help: 'The size of the file system of DATA_DIR.',
  registers: [processRegistry],
  collect: () => setFrom(size, ({ blocks, bsize }) => blocks * bsize),
});

/** While the folder does not exist, both figures are 0. */
async function setFrom(gauge: Gauge, figureOf: (stats: StatsFs) => number): Promise<void> {
  const stats = dataDir === undefined ? undefined : await statfs(dataDir).catch(() => undefined);
  if (stats) gauge.set(figureOf(stats));
  else gauge.reset();
}
