// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {LibOffers} from "../../contracts/libraries/LibOffers.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {ExactToken} from "./support/ExactToken.sol";
import {OfferHasher} from "../../contracts/mocks/OfferHasher.sol";
import {ProofBase} from "./support/ProofBase.sol";

/// @notice Properties of offers: whose signature pays which deal, when, and how often.
/// @dev `ecrecover` returns any address for any digest and signature. What is proved names the recovered account; that
///      only the holder of a key can make a signature that recovers to its account is the assumption about `ecrecover`.
contract OffersProofs is ProofBase {
    OfferHasher internal hasher;
    ExactToken internal token;

    function setUp() public override {
        super.setUp();
        hasher = OfferHasher(deploy("OfferHasher.sol:OfferHasher", ""));
        token = new ExactToken();
        // Zero holds the role too, because the registry lets root give it to any account.
        vm.prank(ROOT);
        registry.setRole(Roles.SIGNER, address(0), true);
    }

    /// @notice A deal is paid by an offer only if the recovered account holds the role `signer`, for exactly these terms
    ///         and this window, before its end, while the network is not paused; its word was none or open with these
    ///         terms, and the terms could be paid.
    /// @dev For all terms, windows, signatures, words, callers, coins and times, by each of the three ways to pay.
    function check_offer_needs_a_signer(
        Offer memory offer,
        address caller,
        uint256 value,
        bytes32 word,
        uint64 time,
        bool paused,
        uint8 way
    ) public {
        Deal memory deal = offer.deal;
        setWord(deal.dealId, word);
        vm.warp(time);
        pauseIf(paused);
        vm.assume(payOffered(offer, caller, value, way));
        address signer = signerOf(offer);
        assert(signer != address(0) && hasRole(Roles.SIGNER, signer));
        assert(time < offer.validUntil);
        assert(word == 0 || word == withStatus(IDealFacet(diamond).termsHash(deal), LibDeals.OPEN));
        assertPayable(deal, caller, value, time, paused, way);
    }

    /// @notice A deal is paid at most once, by whatever pair of offers and payment functions, every caller and all terms.
    /// @dev For any word to begin with, and any two payments of the same id of which at least one is by an offer.
    function check_offered_deal_is_paid_once(
        Offer memory first,
        Offer memory second,
        address caller,
        address other,
        uint256 value,
        uint8[2] memory ways,
        bool[2] memory offered,
        bytes32 word
    ) public {
        vm.assume(first.deal.dealId == second.deal.dealId && (offered[0] || offered[1]));
        setWord(first.deal.dealId, word);
        vm.assume(offered[0] ? payOffered(first, caller, value, ways[0]) : pay(first.deal, caller, value, ways[0]));
        bool again = offered[1] ? payOffered(second, other, value, ways[1]) : pay(second.deal, other, value, ways[1]);
        assert(!again);
    }

    /// @notice No offer changes a word that is paid, cancelled or a tombstone, or that has other terms; no offer changes
    ///         another deal's word.
    /// @dev For every id, every word, any offer, and any second id.
    function check_final_word_is_final_for_offers(
        Offer memory offer,
        address caller,
        uint256 value,
        uint8 way,
        bytes32 word,
        uint256 otherId,
        bytes32 other
    ) public {
        uint256 dealId = offer.deal.dealId;
        vm.assume(otherId != dealId);
        setWord(otherId, other);
        setWord(dealId, word);
        payOffered(offer, caller, value, way);
        assert(wordOf(otherId) == other);
        if (wordOf(dealId) == word) return;
        assert(word == 0 || (statusOf(word) == LibDeals.OPEN && wordOf(dealId) >> 8 == word >> 8));
        assert(statusOf(wordOf(dealId)) == LibDeals.PAID);
    }

    /// @notice Offers that differ in any field of the terms or in the window have different hashes.
    /// @dev For any two offers, under the assumption that keccak256 has no collisions.
    function check_offer_hash_binds_terms_and_window(Deal memory a, uint256 until, Deal memory b, uint256 untilOther)
        public
        view
    {
        if (hasher.offerHash(a, until) != hasher.offerHash(b, untilOther)) return;
        assert(until == untilOther);
        assert(a.dealId == b.dealId);
        assert(a.token == b.token && a.payee == b.payee && a.payer == b.payer);
        assert(a.amount == b.amount && a.expiresAt == b.expiresAt);
    }

    /// @notice The same offer has another hash on another chain and in another diamond, and is no terms hash.
    /// @dev For any offer and any two chain ids, at two addresses.
    function check_offer_hash_binds_chain_and_diamond(Deal memory deal, uint256 until, uint64 chain, uint64 otherChain)
        public
    {
        vm.chainId(chain);
        bytes32 offer = hasher.offerHash(deal, until);
        OfferHasher otherPlace = OfferHasher(deploy("OfferHasher.sol:OfferHasher", ""));
        assert(otherPlace.offerHash(deal, until) != offer);
        assert(IDealFacet(diamond).termsHash(deal) != offer);
        vm.assume(chain != otherChain);
        vm.chainId(otherChain);
        assert(hasher.offerHash(deal, until) != offer);
    }

    /// @notice A signature with the higher of its two possible values of `s` recovers to no account.
    /// @dev For all digests and signatures.
    function check_high_s_is_no_signature(bytes32 digest, bytes32 r, bytes32 vs) public {
        uint256 s = uint256(vs) & (type(uint256).max >> 1);
        vm.assume(s > 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0);
        assert(hasher.recover(digest, r, vs) == address(0));
    }

    /// @notice A payment of an offer takes exactly the amount from the caller and gives exactly the amount to the payee;
    ///         nobody else's coins move, and none of the diamond's.
    /// @dev In native coin, for all terms, signatures, words, callers other than the payee, coins and balances, and any third
    ///      account. Payments of offers in tokens share the code of `check_token_payment_is_exact`.
    function check_offered_payment_is_exact(
        Offer memory offer,
        address caller,
        uint256 value,
        Coins memory coins,
        bytes32 word
    ) public {
        Deal memory deal = offer.deal;
        setWord(deal.dealId, word);
        uint256 kept = setCoins(deal, caller, coins);
        vm.assume(payOffered(offer, caller, value, 1));
        assertExact(deal, caller, value, coins, kept);
    }

    /// @dev The account that `ecrecover` gives for the offer's digest in the diamond, computed here from the types.
    function signerOf(Offer memory offer) internal view returns (address) {
        bytes32 domain = keccak256(
            abi.encode(LibDeals.DOMAIN_TYPEHASH, LibDeals.NAME_HASH, LibDeals.VERSION_HASH, block.chainid, diamond)
        );
        bytes32 dealHash = keccak256(abi.encode(LibDeals.DEAL_TYPEHASH, offer.deal));
        bytes32 message = keccak256(abi.encode(LibOffers.OFFER_TYPEHASH, dealHash, offer.validUntil));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, message));
        bytes32 s = bytes32(uint256(offer.vs) & (type(uint256).max >> 1));
        return ecrecover(digest, uint8(uint256(offer.vs) >> 255) + 27, offer.r, s);
    }
}
