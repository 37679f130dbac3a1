import { inEitherCase, knowMembers, knowNames } from '../known-members.ts';
import * as bounds from './bounds.ts';

const settings = knowNames(
  'speech_config image_config response_modalities routing_config model_config response_format thinking_config video_config',
);

/** What readers of names take, wherever it stands. */
const named = knowNames('tools cached_content', { generation_config: knowNames('routing_config model_config') });

const content = knowMembers(bounds.generateContent, 'model contents cached_content model_armor_config', {
  generation_config: settings,
});

export const generateContent = inEitherCase(content);

export const countTokens = inEitherCase({ ...content, ...knowNames('generate_content_request instances') });

export const embedContent = inEitherCase({
  ...knowMembers(bounds.embedContent, 'contents config embed_content_config'),
  ...named,
});

export const batchEmbedContents = knowNames('requests');

/** Its calls are read one by one. */
const input = knowNames('file_name', { requests: { requests: knowNames('request metadata key') } });

export const batchGenerateContent = inEitherCase({ batch: knowNames('display_name name', { input_config: input }) });

const predicted = knowNames(
  `prompt image video content title task_type text mask last_frame reference_images camera_control mime_type negative_prompt
  image_bytes gcs_uri uri`,
);

export const predict = inEitherCase(knowNames('parameters labels operation_name', { instances: predicted }));

export const interactions = inEitherCase(
  knowMembers(bounds.interactions, 'agent agent_config cached_content', { generation_config: settings }),
);

export const cachedContents = inEitherCase({
  ...knowNames('contents tool_config system_instruction ttl expire_time display_name usage_metadata name'),
  ...named,
});

export const batchPrediction = inEitherCase(knowNames('model display_name input_config output_config'));
