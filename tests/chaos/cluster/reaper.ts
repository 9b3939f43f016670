import { spawn, type ChildProcess } from 'node:child_process';

/** Kills the registered processes and unmounts the folders when the process of the test ends in any way, kill -9 included. */
const SCRIPT = `
pids=' '
folders=''
while read -r line; do
  case $line in
    +*) pids="$pids\${line#+} " ;;
    /*) folders="$folders $line" ;;
    -*) pids=$(echo "$pids" | sed "s/ \${line#-} / /") ;;
  esac
done
[ "$pids" = ' ' ] || kill -9 $pids 2>/dev/null
for folder in $folders; do umount -l "$folder" 2>/dev/null; done`;

/** Ends processes that would outlive a test that is interrupted. */
export class Reaper {
  // In a session of its own it gets no signal from a Ctrl-C.
  private readonly child = spawn('/bin/sh', ['-c', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

  /** At the end of the test the process is killed, unless it has ended before. */
  register(registered: ChildProcess): void {
    const { pid } = registered;
    if (pid === undefined) return;
    this.child.stdin.write(`+${pid}\n`);
    registered.once('exit', () => {
      if (this.child.stdin.writable) this.child.stdin.write(`-${pid}\n`);
    });
  }

  /** Unmounts the folder at the end, if that was not done before. Its path must have no space. */
  unmountAtEnd(folder: string): void {
    this.child.stdin.write(`${folder}\n`);
  }

  /** Kills what still runs. */
  end(): void {
    this.child.stdin.end();
  }
}
