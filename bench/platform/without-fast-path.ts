/** The whole platform as `main.ts` starts it, but Express and Apollo Server answer every request to a service's graph. */
import { startPlatform } from '../../platform.ts';
import { runUntilSignal } from '../../server/run-until-signal.ts';

await runUntilSignal((progress) => startPlatform(process.env, progress, { usesFastPath: false }));
