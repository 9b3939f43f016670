import type { Progress } from './run-until-signal.ts';
import type { Environment } from './settings.ts';
import { StartError } from './start-error.ts';

/**
 * A command that ends by itself; resolves to its exit code.
 * @throws StartError for wrong arguments or settings
 */
export type Command = (args: readonly string[], env: Environment, print: Progress) => Promise<number>;

/** Runs a command for `main.ts`. A StartError, whose reason the operator can remove, is printed without a stack. */
export async function runCommand(command: Command, args: readonly string[], env: Environment): Promise<void> {
  try {
    process.exitCode = await command(args, env, (line) => void process.stdout.write(`${line}\n`));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
