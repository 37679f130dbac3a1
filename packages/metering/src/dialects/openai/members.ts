import { type KnownMembers, knowMembers, knowNames } from '../known-members.ts';
import * as bounds from './bounds.ts';

/** What vLLM, SGLang and others let a caller say of how text is made. */
const guiding = `guided_json guided_regex guided_choice guided_grammar guided_decoding_backend guided_whitespace_pattern structured_outputs
  structural_tag regex ebnf json_schema bad_words allowed_token_ids logits_processors chat_template continue_final_message
  mm_processor_kwargs media_io_kwargs kv_transfer_params vllm_xargs cache_salt request_id rid prompt_logprobs grammar format keep_alive raw`;

/** Members whose own members may be texts, and no lists: some server takes tags by which it routes, or tools, from there. */
const texts: KnownMembers = { metadata: 'texts', chat_template_kwargs: 'texts' };

/** What OpenRouter takes in each of its formats, beside what readers of names read. */
const routed = 'provider transforms route usage session_id trace image_config cache_control plugins preset';

/** Members of Google's beside OpenAI's format; cached content may bring tools. */
const google: KnownMembers = {
  google: knowNames('thinking_config safety_settings thought_tag_marker', { thinkingConfig: true }),
};

const chatOthers = `functions function_call tools audio modalities prediction web_search_options documents citation_options
  prompt_cache_options prompt_mode messages data_sources dataSources user_security_context compound_custom
  search_settings include_domains exclude_domains connectors search_parameters enable_search search_options
  translation_options asr_options result_format user_id think
  context_length_exceeded_behavior compliance perf_metrics_in_response prompt_cache_isolation_key raw_output reasoning_history speculation
  search_domain_filter search_recency_filter search_after_date_filter search_before_date_filter search_mode last_updated_after_filter
  last_updated_before_filter search_language_filter image_domain_filter image_format_filter language_preference media_response
  reasoning_content reasoning_format response_format thinking ${guiding} ${routed}`;

export const chat = knowMembers(bounds.chat, chatOthers, {
  extra_body: google,
  options: knowNames('stop'),
  ...texts,
});

/** Its chat is read as one. */
export const asyncChat = knowNames('request idempotency_key');

export const completions = knowMembers(
  bounds.completions,
  `prompt logit_bias response_format template context suffix system images min_tokens prompt_cache_isolation_key
  context_length_exceeded_behavior compliance tools functions ${guiding} ${routed}`,
  { options: knowNames('stop'), ...texts },
);

export const responses = knowMembers(
  bounds.responses,
  `prompt conversation previous_response_id context_management prompt_cache_options client_metadata models plugins provider preset usage session_id
  trace search_parameters tools cache_control ${guiding}`,
  texts,
);

export const embeddings = knowMembers(
  bounds.embeddings,
  'task embedding_type instruction prompt prompt_name texts images normalized messages output_data_type keep_alive options',
  texts,
);

export const rerank = knowNames(
  'model query documents top_n return_documents rank_fields instruction truncation user metadata texts passages overlap_tokens',
);

export const moderations = knowNames('model input');

export const ocr = knowNames(
  `model document id pages bbox_annotation_format document_annotation_format document_annotation_prompt table_format image_limit
  confidence_scores_granularity`,
);

export const images = knowMembers(
  bounds.images,
  `aspect_ratio resolution negative_prompt image_url reference_images input_image mask_url size output_format style_type seed
  output_quality watermark`,
);

/** Sound that is sent, in a form or in JSON. */
export const transcription = knowNames(
  `model file url file_url file_id language prompt response_format temperature timestamp_granularities chunking_strategy
  chunking_strategy[type] chunking_strategy[threshold] chunking_strategy[prefix_padding_ms] chunking_strategy[silence_duration_ms] include
  known_speaker_names known_speaker_references keywords stream hotwords context_bias user task vad_filter diarize top_p seed`,
);

export const speech = knowMembers(
  bounds.speech,
  'language sample_rate response_encoding output_format ref_audio ref_text task_type voice_settings max_new_tokens',
);

export const videos = knowNames(
  `model prompt seconds size input_reference resolution aspect_ratio duration n n_seconds n_variants width height image image_url images
  reference_images video negative_prompt first_frame last_frame frame_images quality characters`,
);

export const cohereChat = knowNames(
  `message messages preamble chat_history conversation_id documents tools functions plugins tool_results connectors response_format safety_mode
  citation_options citation_quality stop_sequences tool_choice prompt_truncation thinking`,
);

export const cohereEmbed = knowNames(
  'model texts inputs images input_type embedding_types truncate output_dimension embedding_type',
);
