import { setTimeout as sleep } from 'node:timers/promises';
import type { Integrator } from './integrator.ts';

export interface DayMember {
  id: string;
  qrCode: string;
  token: string;
}

/** A change that the platform has acknowledged with 2xx. */
export interface Acknowledged {
  subject: string;
  type: string;
}

/** The share of the members who are inside in each quarter of the day: the third one, the evening, is the busiest. */
const SHARES_INSIDE = [0.6, 0.3, 0.9, 0.1];

interface TurnstileDay {
  /** The number of scans in a day. After them the next day begins. */
  scans: number;
  scansPerSecond: number;
}

/** A turnstile at one location: it scans the codes of members, in and out, one after the other. */
export class Turnstile {
  readonly acknowledged: Acknowledged[] = [];
  private readonly client: Integrator;
  private readonly locationId: string;
  private readonly outside: DayMember[];
  private readonly inside: DayMember[] = [];
  private readonly day: TurnstileDay;

  constructor(
    client: Integrator,
    { locationId, members, day }: { locationId: string; members: readonly DayMember[]; day: TurnstileDay },
  ) {
    this.client = client;
    this.locationId = locationId;
    this.outside = [...members];
    this.day = day;
  }

  get scans(): number {
    return this.acknowledged.length;
  }

  /** Lets members in and out, depending on the time of the day, until `goesOn` returns false. */
  async scanWhile(goesOn: () => boolean): Promise<void> {
    const pauseMillis = 1_000 / this.day.scansPerSecond;
    for (let next = Date.now(); goesOn(); next = Math.max(next + pauseMillis, Date.now())) {
      await sleep(next - Date.now());
      const [direction, from, to] = this.lacksPeople()
        ? (['check-in', this.outside, this.inside] as const)
        : (['check-out', this.inside, this.outside] as const);
      const member = from.shift();
      if (!member) throw new Error(`nobody is there for a ${direction}`);
      await this.scan(direction, member.qrCode);
      to.push(member);
    }
  }

  /**
   * Whether fewer members are inside than there should be at this time of the day. There should always be at least
   * one, so that somebody can leave.
   */
  private lacksPeople(): boolean {
    const quarter = Math.floor((4 * this.scans) / this.day.scans) % 4;
    const members = this.inside.length + this.outside.length;
    return this.inside.length < Math.max(1, Math.floor((SHARES_INSIDE[quarter] ?? 0) * members));
  }

  private async scan(direction: 'check-in' | 'check-out', qrCode: string): Promise<void> {
    const { status, body } = await this.client.call('POST', `/gym/locations/${direction}`, {
      qrCode,
      ...(direction === 'check-in' && { locationId: this.locationId }),
    });
    if (status !== 200 && status !== 201)
      throw new Error(`a ${direction} was refused: ${status} ${JSON.stringify(body)}`);
    this.acknowledged.push({
      subject: `check-in/${body.id}`,
      type: direction === 'check-in' ? 'check_in.opened' : 'check_in.closed',
    });
  }
}
