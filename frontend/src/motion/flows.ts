/**
 * What moved between two drawings of a table. It compares what was drawn before and after, and knows neither rules nor
 * events: a face-down thing has no name, so nothing can be told of it but from which place to which one moved. Pure.
 */

/** A thing as it is drawn. */
export interface Thing {
  sort: "card" | "die" | "piece";
  /** What is seen of it: "7S", "5", "plate:R4"; "" for a card that lies face down. */
  name: string;
  /** The key of the place in which it lies. */
  place: string;
}

/** A place in which things lie. */
export interface Place {
  /** The seat to which it belongs; null for the middle. */
  seat: number | null;
  /** How many things are there, also those that are not drawn. */
  count: number;
  /** What goes here breaks. */
  breaks?: boolean;
  /** The event that last rolled dice here, and what they show since then, as `12:356`. */
  rolled?: string;
}

export interface Drawn<T extends Thing = Thing> {
  things: readonly T[];
  places: ReadonlyMap<string, Place>;
}

/**
 * How a thing came from `from` to `to`. Each is a drawn thing, the key of a place, or null for nowhere. `moves`: from
 * one place to another; `slides`: within its place; `turns`: shows its other side; `tumbles`: was rolled.
 */
export interface Flow<T extends Thing = Thing> {
  how: "moves" | "slides" | "turns" | "tumbles" | "breaks" | "comes" | "goes";
  from: T | string | null;
  to: T | string | null;
}

/** The most cards that nobody sees and that are shown to move from one place to another. */
const MOST_UNSEEN = 4;

/** The key of a player's whole place at the table. */
export const seatKey = (seat: number): string => `seat ${seat}`;

const isPlace = (end: Thing | string | null): end is string => typeof end === "string";
/** Return the key of the place at an end of a flow; null for nowhere. */
export const placeOf = (end: Thing | string | null): string | null => (end === null || isPlace(end) ? end : end.place);

class Comparing<T extends Thing> {
  readonly flows: Flow<T>[] = [];
  private readonly old: Set<T>;
  private readonly fresh: Set<T>;
  /** By place: how many things came (or went, below 0) that no flow explains yet. */
  private readonly open = new Map<string, number>();
  private readonly sorts = new Map<string, Thing["sort"]>();

  constructor(
    private readonly before: Drawn<T>,
    private readonly after: Drawn<T>,
    private readonly actor: number | null,
  ) {
    this.old = new Set(before.things);
    this.fresh = new Set(after.things);
    for (const { place, sort } of [...before.things, ...after.things]) this.sorts.set(place, sort);
    for (const key of new Set([...before.places.keys(), ...after.places.keys()]))
      this.open.set(key, (after.places.get(key)?.count ?? 0) - (before.places.get(key)?.count ?? 0));
  }

  private add(how: Flow["how"], from: T | string | null, to: T | string | null): void {
    this.flows.push({ how, from, to });
    if (from !== null && !isPlace(from)) this.old.delete(from);
    if (to !== null && !isPlace(to)) this.fresh.delete(to);
    const [whence, whither] = [placeOf(from), placeOf(to)];
    if (whence === whither) return;
    if (whence !== null) this.open.set(whence, (this.open.get(whence) ?? 0) + 1);
    if (whither !== null) this.open.set(whither, (this.open.get(whither) ?? 0) - 1);
  }

  private seatOf(key: string): number | null {
    return (this.after.places.get(key) ?? this.before.places.get(key))?.seat ?? null;
  }

  /** Pair things that look alike: in the same place, or else anywhere. Dice stay with their seat. */
  same(inPlace: boolean): void {
    const key = ({ sort, name, place }: T): string => {
      if (inPlace) return `${sort} ${name} ${place}`;
      return sort === "die" ? `${sort} ${name} ${this.seatOf(place)}` : `${sort} ${name}`;
    };
    const known = new Map<string, T[]>();
    for (const thing of this.old) {
      if (!thing.name && !inPlace) continue;
      const alike = known.get(key(thing));
      if (alike) alike.push(thing);
      else known.set(key(thing), [thing]);
    }
    for (const to of [...this.fresh]) {
      const from = known.get(key(to))?.shift();
      if (from) this.add(inPlace ? (this.wasRolled(to) ? "tumbles" : "slides") : "moves", from, to);
    }
  }

  private wasRolled({ sort, place, name }: T): boolean {
    const rolled = this.after.places.get(place)?.rolled;
    if (sort !== "die" || rolled === undefined || rolled === this.before.places.get(place)?.rolled) return false;
    return (rolled.split(":")[1] ?? "").includes(name);
  }

  /** Pair a thing with another one in its place: a die shows another number, a card its other side. */
  changed(): void {
    for (const to of [...this.fresh]) {
      const from = [...this.old].find(
        (each) => each.place === to.place && each.sort === to.sort && (to.sort === "die" || !each.name !== !to.name),
      );
      if (from && to.sort === "die") this.add("tumbles", from, to);
      else if (from && to.sort === "card") this.add("turns", from, to);
    }
  }

  /** Return the place that best explains a thing of that sort: one that lost some (`sign` -1) or got some (1). */
  private other(sort: Thing["sort"] | undefined, sign: 1 | -1): string | undefined {
    const open = [...this.open].filter(
      ([key, count]) => count * sign > 0 && (!sort || (this.sorts.get(key) ?? sort) === sort),
    );
    const rank = ([key, count]: [string, number]): number =>
      Math.abs(count) + (this.actor !== null && this.seatOf(key) === this.actor ? 1000 : 0);
    return open.sort((one, other) => rank(other) - rank(one))[0]?.[0];
  }

  /** Find out whence each new thing came. A thing that was only covered before does not move. */
  arrived(): void {
    for (const to of [...this.fresh]) {
      if ((this.open.get(to.place) ?? 0) <= 0) continue;
      const whence = this.other(to.sort, -1);
      if (whence === undefined && to.sort === "die") this.add("tumbles", null, to);
      else if (whence === undefined) {
        const player = this.actor === null || this.seatOf(to.place) === this.actor ? null : seatKey(this.actor);
        this.add(player === null ? "comes" : "moves", player, to);
      } else this.add("moves", this.taken(whence, to), to);
    }
  }

  /** Return what of a place can have become `to`: a thing that has gone from there, or any of those nobody saw. */
  private taken(place: string, to: T): T | string {
    const there = [...this.old].filter((each) => each.place === place && each.sort === to.sort);
    return (to.name ? there.find((each) => !each.name) : there[0]) ?? place;
  }

  /** Find out whither each lost thing went. A thing that is only covered now does not move. */
  gone(): void {
    for (const from of [...this.old]) {
      if ((this.open.get(from.place) ?? 0) >= 0) continue;
      const whither = this.other(from.sort, 1);
      const breaks = whither !== undefined && this.after.places.get(whither)?.breaks;
      this.add(whither === undefined ? "goes" : breaks ? "breaks" : "moves", from, whither ?? null);
    }
  }

  /** Cards that nobody sees go from place to place. */
  unseen(): void {
    for (let count = 0; count < MOST_UNSEEN; count++) {
      const [from, to] = [this.other("card", -1), this.other("card", 1)];
      if (from === undefined || to === undefined) return;
      this.add("moves", from, to);
    }
  }
}

/** Return what moved. `actor` is the seat whose event it was; of equal explanations its own things come first. */
export function flowsOf<T extends Thing>(before: Drawn<T>, after: Drawn<T>, actor: number | null): Flow<T>[] {
  const comparing = new Comparing(before, after, actor);
  comparing.same(true);
  comparing.same(false);
  comparing.changed();
  comparing.arrived();
  comparing.gone();
  comparing.unseen();
  return comparing.flows;
}
