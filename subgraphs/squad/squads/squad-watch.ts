import type { UserViewer } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import type { Journals } from '../storage/journal.ts';
import { maySeeSquad } from './squad-rights.ts';
import { present } from './squad-view.ts';
import { squads, type NoSquad, type SquadState } from './squad.journal.ts';
import type { SquadEventShape, SquadShape } from './squads.shapes.ts';

export interface SquadWatch {
  /** Called with each event in order, and with the present session, which may contain later changes, too. */
  deliver(event: SquadEventShape, session: SquadShape): void;
  /** Called once, when no more events will come: the viewer has left or was removed, or the squad has ended. */
  onEnd(): void;
}

/**
 * Delivers every event that follows the returned state, as long as the viewer may see the squad.
 * @throws NOT_FOUND if the viewer may not see it
 */
export async function watchSquad(
  journals: Journals,
  id: string,
  viewer: UserViewer,
  { deliver, onEnd }: SquadWatch,
): Promise<{ squad: SquadState; stop(): void }> {
  let lastRevision: number | undefined;
  let newest: SquadState | NoSquad | undefined;
  let stop = (): void => undefined;
  const end = (): void => {
    stop();
    onEnd();
  };
  const onState = (squad: SquadState | NoSquad): void => {
    newest = squad;
    if (squad.status === 'NONE' || lastRevision === undefined) return;
    for (const event of squad.events) {
      // A viewer who leaves may no longer see the squad, but gets the event of their own leaving.
      const isOwnLeaving = event.event === 'squad_left' && event.userId === viewer.userId;
      if (event.revision <= lastRevision || !(isOwnLeaving || maySeeSquad(squad, viewer))) continue;
      lastRevision = event.revision;
      deliver(event, present(squad));
      if (isOwnLeaving || event.status === 'ENDED') return end();
    }
    if (!maySeeSquad(squad, viewer)) end();
  };
  const following = await journals.of(squads).follow(id, onState);
  const { state } = following;
  stop = following.stop;
  if (state.status === 'NONE' || !maySeeSquad(state, viewer)) {
    stop();
    throw notFound('squad', id);
  }
  lastRevision = state.revision;
  if (newest) onState(newest); // changes that came before `lastRevision` was set
  if (state.status === 'ENDED') queueMicrotask(end);
  return { squad: state, stop };
}
