import { EventSplitter } from './event-stream.ts';
import { FrameSplitter, type Framing, LineSplitter, type Splitter } from './frames.ts';

const splitters = { frames: FrameSplitter, lines: LineSplitter, events: EventSplitter };

export const openSplitter = (framing: Framing): Splitter => new splitters[framing]();
