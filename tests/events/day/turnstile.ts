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

/** A turnstile at one location: it scans the code of one member after the other, in and out. */
export class Turnstile {
  scans = 0;
  readonly acknowledged: Acknowledged[] = [];
  private readonly client: Integrator;
  private readonly locationId: string;

  constructor(client: Integrator, locationId: string) {
    this.client = client;
    this.locationId = locationId;
  }

  /** Scans the codes of these members again and again, while it is asked to. */
  async scanWhile(members: readonly DayMember[], goesOn: () => boolean, pauseMillis: number): Promise<void> {
    for (let turn = 0; goesOn(); turn += 1) {
      const member = members[turn % members.length];
      if (!member) return;
      await this.scan('check-in', member.qrCode);
      await this.scan('check-out', member.qrCode);
      await new Promise((resolve) => setTimeout(resolve, pauseMillis));
    }
  }

  private async scan(direction: 'check-in' | 'check-out', qrCode: string): Promise<void> {
    const { status, body } = await this.client.call('POST', `/gym/locations/${direction}`, {
      qrCode,
      ...(direction === 'check-in' && { locationId: this.locationId }),
    });
    this.scans += 1;
    if (status !== 200 && status !== 201)
      throw new Error(`a ${direction} was refused: ${status} ${JSON.stringify(body)}`);
    this.acknowledged.push({
      subject: `check-in/${body.id}`,
      type: direction === 'check-in' ? 'check_in.opened' : 'check_in.closed',
    });
  }
}
