import type { AudienceMember } from '#server/audience.ts';
import type { BoardSubscription } from './board-listener.ts';
import type { OnlineUsersUpdate } from './presence.shapes.ts';
import { OPEN_SIGHT, type Sight } from './visibility.ts';

/**
 * The online users as one member of an audience sees them. Without blocks the member gets the audience's updates, otherwise
 * their own ones. The member changes from one to the other only while both have the same state, so that a block by a user
 * whom they do not see changes nothing in what they receive.
 */
export class MemberView {
  private readonly board: BoardSubscription;
  private readonly member: AudienceMember<OnlineUsersUpdate>;
  private hasBegun = false;
  /** The latest sight that came before `begin`. */
  private earlySight: Sight | undefined;
  /** The member's own updates; undefined while they get the audience's. */
  private own: BoardSubscription | undefined;

  constructor(board: BoardSubscription, member: AudienceMember<OnlineUsersUpdate>) {
    this.board = board;
    this.member = member;
  }

  /** A new member, who has received nothing yet. */
  begin(sight: Sight): void {
    this.hasBegun = true;
    const first = this.earlySight ?? sight;
    if (first === OPEN_SIGHT) return this.member.report('eligible');
    this.leaveAudience(first);
    if (this.own) this.member.push(this.own.snapshot());
  }

  changeSight(sight: Sight): void {
    if (!this.hasBegun) this.earlySight = sight;
    else if (this.own) this.own.changeSight(sight);
    else if (sight !== OPEN_SIGHT) this.leaveAudience(sight);
  }

  stop(): void {
    this.own?.stop();
  }

  private leaveAudience(sight: Sight): void {
    this.member.report('addressed');
    this.own = this.board.branch({
      sight,
      deliver: (update) => this.member.push(update),
      onSame: () => {
        this.own = undefined;
        this.member.report('eligible');
      },
    });
  }
}
