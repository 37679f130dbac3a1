import type { Alert } from '@agp/alerts';
import type { Team } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import type { AnnouncedEvent } from '@agp/core/events';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../keys.ts';
import { endGraceMs, maxBacklogBytes, maxStreams, maxWaitingBatches, rememberedEvents } from '../limits.ts';
import { presentStreamEvent, writeJson } from '../presenters.ts';
import type { FindNames } from './agent-names.ts';

export interface StreamFilter {
  agentId?: string | undefined;
  sessionId?: string | undefined;
  withEvents: boolean;
  withAlerts?: boolean;
  /** Sends the agents' names with the events. */
  withNames?: boolean;
  /** Sends how they ended. */
  withOutcomes?: boolean;
}

type StreamOwner = Pick<Caller, 'holder' | 'secretSha256' | 'match'>;

interface Stream {
  response: Response;
  filter: StreamFilter;
  owner: StreamOwner;
  keepalive: NodeJS.Timeout;
}

export interface LiveStreamsOptions {
  findNames: FindNames;
  /** The same of a team's agents alone. */
  findTeam(team: Team, ids: readonly string[]): ReturnType<FindNames>;
  keepaliveMs: number;
  /** So that an event announced twice is sent once. */
  rememberedEvents?: number;
  maxStreams?: number;
  /** The most of one key; as many as of all if not given. */
  maxStreamsPerKey?: number;
}

const keepaliveText = ': keepalive\n\n';

function matches(event: AnnouncedEvent, { agentId, sessionId }: StreamFilter): boolean {
  return (
    (agentId === undefined || event.agent_id === agentId) && (sessionId === undefined || event.session_id === sessionId)
  );
}

/** An alert, and public ids of all agents that it is of; none if they are not kept. */
export interface ToldAlert {
  alert: Alert;
  agentIds: readonly string[];
}

/**
 * The open streams of this process. A stream sends every event that is recorded after its headers went out, and every alert that changes, or
 * it ends, and the client reconnects and backfills through `GET /api/v1/events` and `/alerts`.
 */
export class LiveStreams {
  readonly #options: LiveStreamsOptions;
  readonly #streams = new Set<Stream>();
  readonly #sent: LRUCache<string, true>;
  #stopped = false;
  #suspended = false;
  #lookups = Promise.resolve();
  #waiting = 0;

  constructor(options: LiveStreamsOptions) {
    this.#options = options;
    this.#sent = new LRUCache({ max: options.rememberedEvents ?? rememberedEvents });
  }

  get size(): number {
    return this.#streams.size;
  }

  get isAvailable(): boolean {
    return !this.#suspended && !this.#stopped;
  }

  /** Hex digests of what the open streams were opened with. */
  get secrets(): string[] {
    return [...new Set([...this.#streams].map((stream) => stream.owner.secretSha256))];
  }

  /** Turns a response into a stream, until its client leaves or it is ended here. Throws ApiError beyond the limits. */
  open(response: Response, filter: StreamFilter, owner: StreamOwner): void {
    if (this.#suspended && filter.withEvents) throw new ApiError('live_stream_unavailable');
    const ofKey = [...this.#streams].filter((stream) => stream.owner.holder === owner.holder).length;
    if (ofKey >= (this.#options.maxStreamsPerKey ?? Number.POSITIVE_INFINITY)) {
      throw new ApiError('too_many_streams_of_key');
    }
    if (this.#streams.size >= (this.#options.maxStreams ?? maxStreams)) {
      throw new ApiError('too_many_streams');
    }
    // A client that comes back makes a new connection, and so does not return to a process that is stopping.
    response.shouldKeepAlive = false;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Else nginx buffers the answer.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    if (this.#stopped || response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const keepalive = setTimeout(() => this.#send(stream, keepaliveText), this.#options.keepaliveMs);
    const stream: Stream = { response, filter, owner, keepalive };
    this.#streams.add(stream);
    response.on('close', () => this.#forget(stream));
    // A socket that breaks during a write emits 'error'; 'close' follows.
    response.on('error', () => {});
  }

  /** Leaves out what was sent before. */
  publish(batch: readonly AnnouncedEvent[]): void {
    const fresh: AnnouncedEvent[] = [];
    for (const event of batch) {
      if (this.#sent.has(event.id)) continue;
      this.#sent.set(event.id, true);
      fresh.push(event);
    }
    const streams = [...this.#streams].filter(({ filter }) => filter.withEvents);
    const needsNames = ({ filter, owner }: Stream) => filter.withNames === true || owner.match !== null;
    const { true: looking = [], false: others = [] } = Object.groupBy(
      streams,
      (each) => `${needsNames(each)}` as const,
    );
    this.#sendAll(others, fresh);
    this.#lookUp(
      looking,
      fresh,
      ({ agent_id }) => [agent_id],
      (open, names, own) => {
        for (const [withNames, alike] of Map.groupBy(open, ({ filter }) => filter.withNames === true))
          this.#sendAll(alike, own, withNames ? names : undefined);
      },
    );
  }

  /** Whether a stream asks for alerts. */
  get asksForAlerts(): boolean {
    return [...this.#streams].some(({ filter }) => filter.withAlerts);
  }

  /** Sends them as they are now. */
  publishAlerts(alerts: readonly ToldAlert[]): void {
    const send = (streams: readonly Stream[], shown: readonly ToldAlert[]) => {
      const texts = shown.map(({ alert }) => `event: alert\ndata: ${writeJson(alert)}\n\n`);
      for (const stream of streams) {
        const { agentId } = stream.filter;
        const wanted = texts.filter((_, at) => agentId === undefined || shown[at]?.agentIds.includes(agentId));
        if (wanted.length > 0) this.#send(stream, wanted.join(''));
      }
    };
    const streams = [...this.#streams].filter(({ filter }) => filter.withAlerts);
    send(
      streams.filter(({ owner }) => owner.match === null),
      alerts,
    );
    const ofTeams = streams.filter(({ owner }) => owner.match !== null);
    this.#lookUp(
      ofTeams,
      alerts,
      ({ agentIds }) => agentIds,
      (open, _names, own) => send(open, own),
    );
  }

  /** All, or those for which `ends` is true. */
  endStreams(ends: (stream: Pick<Stream, 'filter' | 'owner'>) => boolean = () => true): void {
    for (const stream of this.#streams) if (ends(stream)) this.#end(stream);
  }

  /** Ends those of events, which may have missed one. */
  endEventStreams(): void {
    this.endStreams(({ filter }) => filter.withEvents);
  }

  /** Ends every stream of events and opens none until {@link resume}: nothing is announced to this process meanwhile. */
  suspend(): void {
    this.#suspended = true;
    this.endEventStreams();
  }

  resume(): void {
    this.#suspended = false;
  }

  stop(): void {
    this.#stopped = true;
    this.endStreams();
  }

  /**
   * Sends what some streams get once the names of its agents are known, and to a team's what is of its agents alone: of several, all must be. One batch after the
   * other, so that a stream keeps its order.
   */
  #lookUp<Item>(
    streams: readonly Stream[],
    items: readonly Item[],
    agentsOf: (item: Item) => readonly string[],
    send: (open: readonly Stream[], names: ReadonlyMap<string, string>, own: readonly Item[]) => void,
  ): void {
    if (streams.length === 0 || items.length === 0) return;
    const end = (ended: readonly Stream[]) => {
      for (const stream of ended) this.#end(stream);
    };
    if (this.#waiting >= maxWaitingBatches) {
      end(streams);
      return;
    }
    this.#waiting += 1;
    const ids = items.flatMap(agentsOf);
    const sendTo = async (alike: readonly Stream[]) => {
      const isOpen = (stream: Stream) => this.#streams.has(stream);
      const team = alike.find(isOpen)?.owner.match;
      if (team === undefined) return;
      const names = await (team === null ? this.#options.findNames(ids) : this.#options.findTeam(team, ids));
      const isOwn = (agents: readonly string[]) => agents.length > 0 && agents.every((id) => names.has(id));
      const own = team === null ? items : items.filter((item) => isOwn(agentsOf(item)));
      send(alike.filter(isOpen), names, own);
    };
    const teams = [...Map.groupBy(streams, ({ owner }) => JSON.stringify(owner.match)).values()];
    this.#lookups = this.#lookups
      .then(() => Promise.all(teams.map((alike) => sendTo(alike).catch(() => end(alike)))))
      .finally(() => (this.#waiting -= 1))
      .then(() => {});
  }

  #sendAll(streams: readonly Stream[], events: readonly AnnouncedEvent[], names?: ReadonlyMap<string, string>): void {
    for (const [withOutcomes, alike] of Map.groupBy(streams, ({ filter }) => filter.withOutcomes === true)) {
      const messages = events.map((event) => {
        const shown = presentStreamEvent(event, names?.get(event.agent_id), withOutcomes);
        return { event, text: `event: agent_event\ndata: ${writeJson(shown)}\n\n` };
      });
      // Joined once for the many streams without a filter.
      const everything = messages.map(({ text }) => text).join('');
      for (const stream of alike) {
        const { agentId, sessionId } = stream.filter;
        const isFiltered = agentId !== undefined || sessionId !== undefined;
        const wanted = (isFiltered ? messages : []).filter(({ event }) => matches(event, stream.filter));
        const text = isFiltered ? wanted.map((each) => each.text).join('') : everything;
        if (text !== '') this.#send(stream, text);
      }
    }
  }

  #end(stream: Stream): void {
    if (!this.#streams.has(stream)) return;
    this.#forget(stream);
    const { response } = stream;
    response.end();
    // The end is sent after everything that the client has not read yet, perhaps never.
    const timer = setTimeout(() => response.destroy(), endGraceMs);
    response.once('close', () => clearTimeout(timer));
  }

  #send(stream: Stream, text: string): void {
    if (stream.response.writableLength > maxBacklogBytes) {
      this.#forget(stream);
      stream.response.destroy();
      return;
    }
    stream.response.write(text);
    stream.keepalive.refresh();
  }

  #forget(stream: Stream): void {
    clearTimeout(stream.keepalive);
    this.#streams.delete(stream);
  }
}
