import type { Hub } from '../hub.ts';
import type { BoardListener, BoardSubscription } from './board-listener.ts';
import { GymBoard } from './gym-board.ts';

/** The presence boards of all gyms that have listeners. */
export class GymBoards {
  private readonly boards = new Map<string, GymBoard>();
  private readonly hub: Hub;
  private readonly intervalMillis: number;

  constructor(hub: Hub, intervalMillis: number) {
    this.hub = hub;
    this.intervalMillis = intervalMillis;
  }

  listen(gymId: string, listener: BoardListener): BoardSubscription {
    const board = this.boards.get(gymId) ?? new GymBoard(gymId, this.hub, this.intervalMillis);
    this.boards.set(gymId, board);
    return this.released(gymId, board, board.listen(listener));
  }

  /** Listeners of all boards; a figure for leak tests and metrics. */
  get listeners(): number {
    return [...this.boards.values()].reduce((sum, board) => sum + board.size, 0);
  }

  /** Disposes of the board with its last listener. */
  private released(gymId: string, board: GymBoard, subscription: BoardSubscription): BoardSubscription {
    return {
      ...subscription,
      branch: (branch) => this.released(gymId, board, subscription.branch(branch)),
      stop: () => {
        subscription.stop();
        if (board.size > 0 || this.boards.get(gymId) !== board) return;
        board.dispose();
        this.boards.delete(gymId);
      },
    };
  }

  dispose(): void {
    for (const board of this.boards.values()) board.dispose();
    this.boards.clear();
  }
}
