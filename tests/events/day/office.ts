import { setTimeout as sleep } from 'node:timers/promises';
import { newMember } from './gym.ts';
import { request } from './integrator.ts';
import type { Acknowledged } from './turnstile.ts';

/** New members register, change their names, and order in the shop. */
export class Office {
  readonly acknowledged: Acknowledged[] = [];
  private readonly url: string;
  private readonly productId: string;

  constructor(url: string, productId: string) {
    this.url = url;
    this.productId = productId;
  }

  async registerWhile(goesOn: () => boolean, pauseMillis: number): Promise<void> {
    while (goesOn()) {
      const { id, token } = await newMember(this.url);
      const subject = `member/${id}`;
      this.acknowledged.push({ subject, type: 'member.joined' });
      const { status } = await request(`${this.url}/identity/profile`, 'PUT', {
        token,
        body: { displayName: 'Ada L.' },
      });
      if (status === 200) this.acknowledged.push({ subject, type: 'member.updated' });
      await this.order(token);
      await sleep(pauseMillis);
    }
  }

  private async order(token: string): Promise<void> {
    const { status, body } = await request(`${this.url}/gym/orders`, 'POST', {
      token,
      body: { items: [{ productId: this.productId, quantity: 1 }] },
    });
    if (status !== 201) throw new Error(`an order was refused: ${status} ${JSON.stringify(body)}`);
    this.acknowledged.push({ subject: `order/${body.id}`, type: 'order.changed' });
  }
}
