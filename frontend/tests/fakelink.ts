import type { Link } from "../src/lab/runner";

/** A clock that a test moves, and the messages to the worker. */
export class FakeLink implements Link {
  posted: Record<string, unknown>[] = [];
  private timers: { at: number; call: () => void }[] = [];
  private now = 0;

  post(message: unknown): void {
    this.posted.push(message as Record<string, unknown>);
  }

  later(ms: number, call: () => void): () => void {
    const timer = { at: this.now + ms, call };
    this.timers.push(timer);
    return () => (this.timers = this.timers.filter((each) => each !== timer));
  }

  pass(ms: number): void {
    this.now += ms;
    const due = this.timers.filter((each) => each.at <= this.now);
    this.timers = this.timers.filter((each) => each.at > this.now);
    for (const { call } of due) call();
  }

  restarts(): number {
    return this.posted.filter((each) => each.restart).length;
  }
}
