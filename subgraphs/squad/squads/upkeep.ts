import { LRUCache } from 'lru-cache';
import { isRedisLost } from '#server/redis/redis-connection.ts';
import type { Hub } from '../hub.ts';
import type { ConnectionTime } from './connection-times.ts';
import { recordSquad, settle } from './finish.ts';
import { lastChangeOf } from './squad-changes.ts';
import { isPresent, takesPart } from './squad-rights.ts';
import { squads, type NoSquad, type SquadState } from './squad.journal.ts';

interface UpkeepSettings {
  /** Another participant becomes host when the host has had no connection for this time. */
  hostAwayMillis: number;
  /** A LOBBY ends when no participant has been connected, and nothing has changed, for this time. */
  lobbyLifetimeMillis: number;
}

/**
 * Changes that squads need because time has passed. They are decided when a squad is read, and for squads that have listeners
 * at this instance also at an interval.
 */
export class Upkeep {
  private readonly hub: Hub;
  private readonly settings: UpkeepSettings;
  private readonly listened = new Map<string, number>();
  /** Squads that were checked a moment ago. */
  private readonly checked: LRUCache<string, true>;
  /** For hosts who were not connected for hours: when this instance first found them absent. By squad and host. */
  private readonly missedSince = new LRUCache<string, number>({ max: 10_000 });
  private readonly timer: NodeJS.Timeout;
  private working: Promise<void> | undefined;

  constructor(hub: Hub, settings: UpkeepSettings) {
    this.hub = hub;
    this.settings = settings;
    const intervalMillis = Math.max(50, Math.min(settings.hostAwayMillis / 8, 15_000));
    // The entries expire before the next round, which would otherwise skip the squads of this round.
    this.checked = new LRUCache({ max: 10_000, ttl: intervalMillis / 2 });
    this.timer = setInterval(() => {
      this.working ??= this.checkListened().finally(() => (this.working = undefined));
    }, intervalMillis);
    this.timer.unref();
  }

  /** Returns the squad after the changes that are due. */
  async settled(squadId: string): Promise<SquadState | NoSquad> {
    const squad = await settle(this.hub.journals, squadId);
    if (squad.status === 'NONE' || squad.status === 'ENDED' || this.checked.has(squadId)) return squad;
    this.checked.set(squadId, true);
    try {
      return await (squad.status === 'LOBBY' ? this.endedIfAbandoned(squad) : this.withConnectedHost(squad));
    } catch (error) {
      // While Redis does not answer, nobody knows who is connected, and the squad stays as it is.
      if (isRedisLost(error)) return squad;
      throw error;
    }
  }

  /** Checks the squad at an interval until the returned function is called. */
  listen(squadId: string): () => void {
    this.listened.set(squadId, (this.listened.get(squadId) ?? 0) + 1);
    let isListening = true;
    return () => {
      if (!isListening) return;
      isListening = false;
      const remaining = (this.listened.get(squadId) ?? 1) - 1;
      if (remaining > 0) this.listened.set(squadId, remaining);
      else this.listened.delete(squadId);
    };
  }

  async dispose(): Promise<void> {
    clearInterval(this.timer);
    this.listened.clear();
    await this.working;
  }

  private async checkListened(): Promise<void> {
    // A failure concerns its own squad only, and the next round tries again.
    for (const squadId of this.listened.keys()) await this.settled(squadId).catch(() => undefined);
  }

  /** Ends an abandoned LOBBY. */
  private async endedIfAbandoned(squad: SquadState): Promise<SquadState | NoSquad> {
    const { lobbyLifetimeMillis } = this.settings;
    const now = Date.now();
    const isStale = (one: SquadState) => Date.parse(lastUseOf(one)) <= now - lobbyLifetimeMillis;
    if (!isStale(squad)) return this.withConnectedHost(squad);
    const people = await this.timesOf(squad);
    const isThere = ({ connectedAt, goneAt }: ConnectionTime) =>
      connectedAt !== null || (goneAt !== null && goneAt > now - lobbyLifetimeMillis);
    if ([...people.values()].some(isThere)) return this.withConnectedHost(squad);
    const ended = await this.hub.journals
      .of(squads)
      .change(squad.id, (one) =>
        one.status === 'LOBBY' && isStale(one)
          ? [{ type: 'status', status: 'ENDED', userId: one.hostId, at: new Date(now).toISOString() }]
          : [],
      );
    if (ended.status !== 'NONE') await recordSquad(this.hub.journals, ended, new Date(now).toISOString());
    return ended;
  }

  /** If the host is away, the participant who has been connected longest becomes host, if any is connected. */
  private async withConnectedHost(squad: SquadState): Promise<SquadState | NoSquad> {
    const { hostAwayMillis } = this.settings;
    if (squad.participants.filter(isPresent).length < 2) return squad;
    const people = await this.timesOf(squad);
    const now = Date.now();
    const goneAt = this.goneAt(squad, people, now);
    if (goneAt === null || goneAt > now - hostAwayMillis) return squad;
    const [next] = [...people]
      .flatMap(([userId, { connectedAt }]) => (connectedAt === null ? [] : [{ userId, connectedAt }]))
      .toSorted((one, other) => one.connectedAt - other.connectedAt);
    if (!next) return squad;
    const at = new Date(now).toISOString();
    return this.hub.journals
      .of(squads)
      .change(squad.id, (one) =>
        one.status !== 'NONE' &&
        one.status !== 'ENDED' &&
        takesPart(one, next.userId) &&
        one.hostId === squad.hostId &&
        lastActOf(one, one.hostId) === lastActOf(squad, squad.hostId)
          ? [{ type: 'host', userId: next.userId, at }]
          : [],
      );
  }

  /**
   * When the host was last connected, or did something in the squad by a request, in milliseconds since 1970; null if they are
   * connected now.
   */
  private goneAt(squad: SquadState, people: ReadonlyMap<string, ConnectionTime>, now: number): number | null {
    const key = `${squad.id} ${squad.hostId}`;
    const known = people.get(squad.hostId);
    if (!known || known.connectedAt !== null) {
      this.missedSince.delete(key);
      return null;
    }
    const missedSince = this.missedSince.get(key) ?? now;
    this.missedSince.set(key, missedSince);
    return Math.max(known.goneAt ?? missedSince, lastActOf(squad, squad.hostId));
  }

  private timesOf(squad: SquadState): Promise<ReadonlyMap<string, ConnectionTime>> {
    return this.hub.connectionTimes.of(squad.participants.filter(isPresent).map(({ userId }) => userId));
  }
}

/** The time of the last change of a LOBBY, or of the last invite to it. */
function lastUseOf(squad: SquadState): string {
  const change = lastChangeOf(squad);
  const invited = squad.invites.at(-1)?.createdAt ?? change;
  return invited > change ? invited : change;
}

/** The time of the user's last event in the squad, in milliseconds since 1970; 0 if there is none. */
function lastActOf(squad: SquadState, userId: string): number {
  const event = squad.events.findLast((one) => one.userId === userId);
  return event ? Date.parse(event.at) : 0;
}
