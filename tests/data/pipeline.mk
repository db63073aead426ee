# make -f pipeline.mk docs.pairs: only what is out of date is made again, and a file appears only when complete
.SECONDARY:
%.canon: %.jsonl
	canon -o $@ $<
%.shingles: %.canon
	shingle -k 10 -o $@ $<
%.sketch: %.shingles
	sketch -n 84 -o $@ $<
%.pairs: %.sketch
	simjoin -t 0.8 -o $@ $<
