"""The algorithms to read: each as plainly as its paper describes it, complete, and slow on purpose.

Start here to learn how tokenizers are trained. Each file reads from top to bottom like a chapter: a worked
example (on five words: hug, pug, pun, bun, hugs; the later kinds of BPE on texts that need them), then
`train`, `encode` and `decode`, each followed by the functions it uses. Nothing is optimized: training
recounts the whole corpus at every step. Among equally good pairs or pieces, the one met first wins,
except in `sentencepiece_bpe`, where the shortest piece does.

1. `bpe`: byte-pair encoding, which merges the most frequent pair.
   Gage (1994), "A New Algorithm for Data Compression".
   Sennrich, Haddow and Birch (2016), "Neural Machine Translation of Rare Words with Subword Units".
2. `byte_alphabet`: bytes written as printable characters, for byte-level BPE.
   Radford et al. (2019), "Language Models are Unsupervised Multitask Learners" (GPT-2).
3. `wordpiece`: like BPE, but merges the pair with the highest score, and encodes by longest match.
   Schuster and Nakajima (2012), "Japanese and Korean Voice Search".
   Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers".
4. `viterbi`: the search for the most probable segmentation of a word.
   Viterbi (1967), "Error Bounds for Convolutional Codes and an Asymptotically Optimum Decoding
   Algorithm".
5. `unigram`: starts from many pieces and prunes, as the Hugging Face course (chapter 6) teaches it.
   Kudo (2018), "Subword Regularization: Improving Neural Network Translation Models with Multiple
   Subword Candidates".
6. `unigram_em`: the same model as SentencePiece trains it, with expectation–maximization.
   Kudo and Richardson (2018), "SentencePiece: A simple and language independent subword tokenizer and
   detokenizer for Neural Text Processing".
7. `superbpe`: BPE with later tokens that bridge spaces.
   Liu et al. (2025), "SuperBPE: Space Travel for Language Models".
8. `pickybpe`: BPE that removes a token again when it is hardly used by itself.
   Chizhov et al. (2024), "BPE Gets Picky: Efficient Vocabulary Refinement During Tokenizer Training".
9. `paritybpe`: BPE in several languages: the worst-served language chooses each merge.
   Foroutan et al. (2025), "Parity-Aware Byte-Pair Encoding: Improving Cross-lingual Fairness in
   Tokenization".
10. `sentencepiece_bpe`: BPE as SentencePiece trains it, with its answers to open questions.
   Kudo and Richardson (2018), as for 6.

These files import the standard library and each other, nothing else of the engine, so you can copy them
out and change them. The app shows them in the Code tab of its training pages and marks the line that
each step has reached. For real corpora use `tokenizers_core.training`. It computes the same, step for
step (`tests/core/test_plain.py` compares the two), but touches only what a step changes. It also has
what is left out here: the tie rules of other programs (`ties.py`) and the record of every step (`merging.py`,
`pruning.py`).
"""
