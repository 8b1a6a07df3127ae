"""The algorithms to read: each as plainly as its paper says it, complete, and slow on purpose.

Start here if you want to know how tokenizers are trained. Each file is a chapter and reads from top to bottom: a worked
example on five words (hug, pug, pun, bun, hugs), then `train`, `encode` and `decode`, each followed by the functions
it uses. Nothing is optimized: training recounts the whole corpus at every step. Of equally good pairs or pieces, the one
met first wins.

1. `bpe`: byte-pair encoding, which merges the most frequent pair. Gage (1994), "A New Algorithm for Data Compression";
   Sennrich, Haddow and Birch (2016), "Neural Machine Translation of Rare Words with Subword Units".
2. `byte_alphabet`: text as bytes, and bytes as printable characters, for byte-level BPE. Radford et al. (2019),
   "Language Models are Unsupervised Multitask Learners" (GPT-2).
3. `wordpiece`: as BPE, but merges the pair with the highest score; encodes by longest match first. Schuster and Nakajima
   (2012), "Japanese and Korean Voice Search"; Devlin et al. (2019), "BERT".
4. `viterbi`: the most probable way to cut a word into pieces. Viterbi (1967), "Error Bounds for Convolutional Codes and
   an Asymptotically Optimum Decoding Algorithm".
5. `unigram`: starts from many pieces and prunes the ones that are missed least, as the Hugging Face course teaches it.
   Kudo (2018), "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates".
6. `unigram_em`: the same model as SentencePiece trains it, with expectation–maximization. Kudo (2018); Kudo and
   Richardson (2018), "SentencePiece".

These files need the standard library and each other, nothing else of the engine, so you can copy them out and change
them. The app shows them in the tab Code of its training pages and marks the line each step has reached. For real
corpora take `tokenizers_core.training`: it computes the same, step for step (`tests/core/test_plain.py` compares them),
with data structures that only touch what a step changes. There you also find what is left out here: other tie rules
(`ties.py`) and the record of every step (`merging.py`, `pruning.py`).
"""
