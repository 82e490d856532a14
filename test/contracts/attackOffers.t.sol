// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Registry} from "../../contracts/Registry.sol";
import {CancelBatch, Deal, DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IOfferFacet} from "../../contracts/interfaces/IOfferFacet.sol";
import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {LibLock} from "../../contracts/libraries/LibLock.sol";
import {LibOffers} from "../../contracts/libraries/LibOffers.sol";
import {LibToken} from "../../contracts/libraries/LibToken.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {
    BombReceiver,
    GreedyReceiver,
    ReentrantReceiver,
    ReturningReceiver,
    RevertingReceiver
} from "../../contracts/mocks/HostileReceivers.sol";
import {
    BombToken,
    FallbackToken,
    FalseToken,
    FeeToken,
    GenerousToken,
    GreedyPermitToken,
    LyingToken,
    MovingFalseToken,
    MuteToken,
    ReentrantToken,
    ShortAnswerToken,
    ShrinkingToken,
    SilentToken
} from "../../contracts/mocks/HostileTokens.sol";
import {TestToken} from "../../contracts/mocks/TestToken.sol";
import {CaratTest} from "./support/CaratTest.sol";

/// @notice As USDT: returns nothing, an allowance is set from zero only, a fee can be switched on, accounts can be blocked.
contract UsdtToken {
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public blocked;
    uint256 public basisPoints;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function setFee(uint256 points) external {
        basisPoints = points;
    }

    function setBlocked(address account, bool is_) external {
        blocked[account] = is_;
    }

    function approve(address spender, uint256 amount) external {
        require(amount == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        require(!blocked[from] && !blocked[to]);
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - amount * basisPoints / 10_000;
    }
}

/// @notice Asks the sender before it moves tokens, as ERC-777 does, and may keep a fee that is rounded down.
contract HookToken is TestToken {
    uint256 public immutable percent;

    constructor(uint256 percent_) TestToken("Hook", "HOK", 6) {
        percent = percent_;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert ERC20InsufficientAllowance(msg.sender, allowed, amount);
        if (from.code.length != 0) ContractBuyer(payable(from)).tokensToSend();
        uint256 fee = amount * percent / 100;
        move(from, address(this), fee);
        move(from, to, amount - fee);
        return true;
    }
}

/// @notice Answers a transfer with any 32 bytes, or reverts with any bytes, after it moved the tokens.
contract AnswerToken is TestToken {
    bytes public answer;
    bool public failing;

    constructor() TestToken("Answer", "ANS", 6) {}

    function arm(bytes calldata answer_, bool failing_) external {
        (answer, failing) = (answer_, failing_);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        move(from, to, amount);
        bytes memory data = answer;
        bool fails = failing;
        assembly {
            if fails { revert(add(data, 0x20), mload(data)) }
            return(add(data, 0x20), mload(data))
        }
    }
}

/// @notice A buyer that is a contract: makes calls in one transaction, and more from inside a token's hook.
contract ContractBuyer {
    struct Call {
        address to;
        uint256 value;
        bytes data;
        bool mayFail;
    }

    Call[] private inner;
    bool[] public innerOk;

    error Failed(bytes reason);

    receive() external payable {}

    function arm(Call calldata call_) external {
        inner.push(call_);
    }

    function allow(TestToken token, address spender) external {
        token.approve(spender, type(uint256).max);
    }

    function run(Call[] calldata calls) external payable returns (bool[] memory oks) {
        oks = new bool[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            oks[i] = make(calls[i]);
        }
    }

    function tokensToSend() external {
        uint256 left = inner.length;
        if (left == 0) return;
        Call memory next = inner[left - 1];
        inner.pop();
        innerOk.push(make(next));
    }

    function make(Call memory call_) private returns (bool ok) {
        bytes memory reason;
        (ok, reason) = call_.to.call{value: call_.value}(call_.data);
        if (!ok && !call_.mayFail) revert Failed(reason);
    }
}

/// @notice Releases goods for a deal that a diamond shows as paid, and is called from inside a payment.
contract Shop {
    uint256 public released;

    function release(address diamond, uint256 dealId) external {
        uint256[] memory ids = new uint256[](1);
        ids[0] = dealId;
        if (uint8(uint256(IDealFacet(diamond).dealWords(ids)[0])) == 2) ++released;
    }
}

/// @notice Reenters from its view `balanceOf`, where only reads can follow, and shows the payee whatever it was told.
contract ViewToken {
    uint256 public rise;
    uint256 public calls;
    address public target;
    bytes public payload;
    bool public reentered;

    function arm(address target_, bytes calldata payload_) external {
        (target, payload) = (target_, payload_);
    }

    function balanceOf(address) external view returns (uint256) {
        (bool ok,) = target.staticcall(payload);
        require(!ok, "reentered");
        return calls * 12_500_000;
    }

    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external {
        (reentered,) = target.call(payload);
    }

    function transferFrom(address, address, uint256) external returns (bool) {
        ++calls;
        return true;
    }
}

/// @notice A stranger's proxy with a storage of its own: runs a facet's code where the stranger chose the registry.
contract ForgedDiamond {
    address private immutable facet;

    constructor(address facet_, address registry_) {
        facet = facet_;
        assembly {
            sstore(0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac00, registry_)
        }
    }

    fallback() external payable {
        (bool ok, bytes memory answer) = facet.delegatecall(msg.data);
        assembly {
            if iszero(ok) { revert(add(answer, 0x20), mload(answer)) }
            return(add(answer, 0x20), mload(answer))
        }
    }
}

/// @notice What an outside attacker tries against payments of offers. Each test is one attack, and holds when it fails.
contract AttackOffersTest is CaratTest {
    uint256 internal constant N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    uint256 internal constant TOKEN = 0;
    uint256 internal constant PERMIT = 1;
    uint256 internal constant COINS = 2;

    function data(Offer memory offer, uint256 way) internal pure returns (bytes memory) {
        if (way == TOKEN) {
            return abi.encodeCall(IOfferFacet.payOfferedToken, (offer.deal, offer.validUntil, offer.r, offer.vs));
        }
        if (way == COINS) {
            return abi.encodeCall(IOfferFacet.payOfferedNative, (offer.deal, offer.validUntil, offer.r, offer.vs));
        }
        return abi.encodeCall(
            IOfferFacet.payOfferedTokenWithPermit, (offer.deal, offer.validUntil, offer.r, offer.vs, 0, 0, 0, 0)
        );
    }

    function dealFor(uint256 way) internal view returns (Deal memory) {
        return way == COINS ? nativeDeal() : tokenDeal();
    }

    function send(address who, uint256 value, bytes memory call_) internal returns (bool ok, bytes memory answer) {
        vm.prank(who);
        (ok, answer) = diamond.call{value: value}(call_);
    }

    /// @dev Whoever calls, whatever is sent: refused, and neither word nor money has moved.
    function refused(address who, uint256 value, bytes memory call_, bytes memory reason) internal {
        bytes32 held = wordOf(ID);
        bytes32 money = keccak256(abi.encode(who.balance, payee.balance, diamond.balance));
        bytes32 tokens = keccak256(abi.encode(token.balanceOf(who), token.balanceOf(payee), token.balanceOf(diamond)));
        (bool ok, bytes memory answer) = send(who, value, call_);
        assertFalse(ok, "attack went through");
        assertEq(answer, reason);
        assertEq(wordOf(ID), held);
        assertEq(keccak256(abi.encode(who.balance, payee.balance, diamond.balance)), money);
        assertEq(keccak256(abi.encode(token.balanceOf(who), token.balanceOf(payee), token.balanceOf(diamond))), tokens);
    }

    function refused(Offer memory offer, uint256 way, bytes memory reason) internal {
        refused(buyer, way == COINS ? offer.deal.amount : 0, data(offer, way), reason);
    }

    function notSigner(address who) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IOfferFacet.NotSigner.selector, who);
    }

    function refusedAsForeign(Offer memory offer, uint256 way) internal {
        bytes32 held = wordOf(offer.deal.dealId);
        (bool ok, bytes memory answer) = send(buyer, way == COINS ? offer.deal.amount : 0, data(offer, way));
        assertFalse(ok, "attack went through");
        assertEq(bytes4(answer), IOfferFacet.NotSigner.selector);
        assertEq(wordOf(offer.deal.dealId), held);
    }

    function paid(Offer memory offer, uint256 way) internal {
        (bool ok, bytes memory answer) = send(buyer, way == COINS ? offer.deal.amount : 0, data(offer, way));
        assertTrue(ok, vm.toString(answer));
        assertEq(uint8(uint256(wordOf(offer.deal.dealId))), 2);
    }

    // ------------------------------------------------------------------------------------------------ signatures

    /// @dev All forms of one signature in 64 bytes: only the genuine one counts, for any digest and every way to pay.
    function testFuzz_malleated_signatures(uint256 dealId, uint256 way) public {
        way %= 3;
        Deal memory deal = dealFor(way);
        deal.dealId = dealId;
        Offer memory offer = offerOf(deal);
        uint256 s = uint256(offer.vs) & type(uint256).max >> 1;
        uint256 parity = uint256(offer.vs) >> 255;
        assertLe(s, N / 2);
        uint256[5] memory forms =
            [N - s, (N - s) | 1 << 255, (N - s) & type(uint256).max >> 1, s | (1 - parity) << 255, s ^ 1];
        for (uint256 i; i < forms.length; ++i) {
            if (bytes32(forms[i]) == offer.vs) continue;
            refusedAsForeign(Offer(deal, offer.validUntil, offer.r, bytes32(forms[i])), way);
        }
        // r + N names the same point where it fits in 32 bytes; ecrecover takes none of them.
        unchecked {
            refusedAsForeign(Offer(deal, offer.validUntil, bytes32(uint256(offer.r) + N), offer.vs), way);
        }
        paid(offer, way);
    }

    function test_truncated_and_shifted_signatures() public {
        for (uint256 way; way < 3; ++way) {
            Offer memory offer = offerOf(dealFor(way));
            (bytes32 r, bytes32 vs) = (offer.r, offer.vs);
            for (uint256 bytes_ = 1; bytes_ <= 32; ++bytes_) {
                uint256 bits = bytes_ * 8;
                // Cut at the end, cut at the front, moved by some bytes.
                (offer.r, offer.vs) = (r, bytes32(uint256(vs) >> bits << bits));
                if (offer.vs != vs) refusedAsForeign(offer, way);
                (offer.r, offer.vs) = (bytes32(uint256(r) << bits >> bits), vs);
                if (offer.r != r) refusedAsForeign(offer, way);
                (offer.r, offer.vs) = (bytes32(uint256(r) >> bits), bytes32(uint256(vs) >> bits));
                refusedAsForeign(offer, way);
            }
            (offer.r, offer.vs) = (vs, r);
            refusedAsForeign(offer, way);
            (offer.r, offer.vs) = (r, bytes32(uint256(vs) & type(uint256).max >> 1 | 27 << 248));
            if (offer.vs != vs) refusedAsForeign(offer, way);
        }
    }

    /// @dev With the role at the zero address, nothing that recovers to it is an offer. The order of the curve and its
    ///      neighbours, in both halves and both parities.
    function test_zero_address_with_the_role() public {
        vm.prank(root);
        registry.setRole(Roles.SIGNER, address(0), true);
        Offer memory genuine = offerOf(tokenDeal());
        uint256[6] memory edges = [uint256(0), 1, N - 1, N, N + 1, type(uint256).max];
        for (uint256 way; way < 3; ++way) {
            Deal memory deal = dealFor(way);
            for (uint256 i; i < edges.length; ++i) {
                for (uint256 j; j < edges.length; ++j) {
                    refusedAsForeign(Offer(deal, genuine.validUntil, bytes32(edges[i]), bytes32(edges[j])), way);
                }
            }
            refused(Offer(deal, genuine.validUntil, 0, 0), way, notSigner(address(0)));
        }
    }

    function test_foreign_signers_and_other_roles() public {
        (address other, uint256 otherKey) = makeAddrAndKey("other signer");
        bytes32[6] memory roles = [
            Roles.OPERATOR,
            Roles.UPGRADER,
            Roles.GUARDIAN,
            bytes32(0),
            bytes32("Signer"),
            bytes32(uint256(uint48(bytes6("signer"))))
        ];
        for (uint256 i; i < roles.length; ++i) {
            vm.prank(root);
            registry.setRole(roles[i], other, true);
        }
        for (uint256 way; way < 3; ++way) {
            Offer memory offer = offerOf(dealFor(way), otherKey, block.timestamp + 1 hours);
            refused(offer, way, notSigner(other));
            offer = offerOf(dealFor(way), buyerKey, block.timestamp + 1 hours);
            refused(offer, way, notSigner(buyer));
        }
    }

    /// @dev What a signer may have signed elsewhere with the same key: terms, struct hashes, text, a permit.
    function test_other_signatures_of_the_signer() public {
        Deal memory deal = tokenDeal();
        uint256 until = block.timestamp + 15 minutes;
        bytes32 digest = offerHash(deal, until);
        bytes32 dealHash = keccak256(abi.encode(LibDeals.DEAL_TYPEHASH, deal));
        bytes32 offered = keccak256(abi.encode(LibOffers.OFFER_TYPEHASH, dealHash, until));
        bytes32[8] memory digests = [
            deals.termsHash(deal),
            dealHash,
            offered,
            keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", digest)),
            keccak256(abi.encodePacked(digest)),
            // A flat offer, and one without the trailing type of the deal.
            keccak256(abi.encode(LibOffers.OFFER_TYPEHASH, deal, until)),
            keccak256(abi.encode(keccak256("Offer(Deal deal,uint256 validUntil)"), dealHash, until)),
            keccak256(abi.encodePacked(digest, until))
        ];
        for (uint256 i; i < digests.length; ++i) {
            (uint8 v, bytes32 r, bytes32 s) = vm.sign(signerKey, digests[i]);
            refusedAsForeign(Offer(deal, until, r, compact(v, s)), TOKEN);
        }
    }

    function test_replay_on_another_diamond_registry_chain_and_id() public {
        // Another diamond of the same registry.
        address home = diamond;
        address near = registry.createDiamond(NODE, bytes16(uint128(0x33)));
        // The same key of another registry of the same network, where the attacker is root and signer.
        vm.startPrank(stranger);
        Registry theirs = new Registry(stranger, 0, bytes32("theirs"));
        theirs.approveFacets(approvalsOf(releaseFacets()));
        theirs.setRelease("1.3.0", releaseFacets());
        (address thief, uint256 thiefKey) = makeAddrAndKey("thief");
        theirs.setRole(Roles.SIGNER, thief, true);
        address far = theirs.createDiamond(NODE, WALLET);
        vm.stopPrank();
        assertTrue(far != home);

        for (uint256 way; way < 3; ++way) {
            Offer memory offer = offerOf(dealFor(way));
            useDiamond(near);
            refusedAsForeign(offer, way);
            useDiamond(far);
            refusedAsForeign(offer, way);
            // The platform's signer is nobody there, even with an offer for that diamond.
            refusedAsForeign(offerOf(dealFor(way)), way);
            Offer memory forged = offerOf(dealFor(way), thiefKey, block.timestamp + 1 hours);
            useDiamond(home);
            refusedAsForeign(forged, way);
            forged = offerOf(dealFor(way), thiefKey, block.timestamp + 1 hours);
            refused(forged, way, notSigner(thief));

            uint64[5] memory chains = [1, 5, 8453, 31_338, type(uint64).max];
            for (uint256 i; i < chains.length; ++i) {
                vm.chainId(chains[i]);
                refusedAsForeign(offer, way);
                Offer memory there = offerOf(dealFor(way));
                vm.chainId(31_337);
                refusedAsForeign(there, way);
            }
            for (uint256 i; i < 256; ++i) {
                uint256 id = offer.deal.dealId;
                offer.deal.dealId ^= 1 << i;
                refusedAsForeign(offer, way);
                offer.deal.dealId = id;
            }
        }
    }

    /// @dev The buyer's allowance is the diamond's alone. A facet called directly has no registry; a proxy of the
    ///      attacker's own, with the attacker's registry, spends only what was approved to that proxy.
    function test_facet_without_its_diamond() public {
        address home = diamond;
        uint256 held = token.balanceOf(buyer);
        useDiamond(offerFacet);
        for (uint256 way; way < 3; ++way) {
            Offer memory offer = offerOf(dealFor(way));
            (bool ok,) = send(buyer, way == COINS ? offer.deal.amount : 0, data(offer, way));
            assertFalse(ok);
        }
        assertEq(offerFacet.balance, 0);

        vm.startPrank(stranger);
        Registry theirs = new Registry(stranger, 0, bytes32("theirs"));
        (address thief, uint256 thiefKey) = makeAddrAndKey("thief");
        theirs.setRole(Roles.SIGNER, thief, true);
        vm.stopPrank();
        useDiamond(address(new ForgedDiamond(offerFacet, address(theirs))));
        Offer memory forged = offerOf(tokenDeal(), thiefKey, block.timestamp + 1 hours);
        (bool went, bytes memory answer) = send(buyer, 0, data(forged, TOKEN));
        assertFalse(went);
        assertEq(
            answer,
            abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, 0, forged.deal.amount)
        );
        assertEq(token.balanceOf(buyer), held);
        assertEq(wordOf(home, ID), 0);
    }

    // --------------------------------------------------------------------------------------------- windows and state

    function test_both_ends_at_the_very_second() public {
        for (uint256 way; way < 3; ++way) {
            uint256 snap = vm.snapshotState();
            uint256 now_ = block.timestamp;
            Deal memory deal = dealFor(way);
            deal.expiresAt = now_ + 100;
            Offer memory offer = offerOf(deal, signerKey, now_ + 50);
            Offer memory endless = offerOf(deal, signerKey, type(uint256).max);
            Offer memory both = offerOf(deal, signerKey, now_ + 100);
            vm.warp(now_ + 50);
            refused(offer, way, abi.encodeWithSelector(IOfferFacet.OfferExpired.selector, ID, now_ + 50, now_ + 50));
            vm.warp(now_ + 100);
            refused(endless, way, abi.encodeWithSelector(IDealFacet.DealExpired.selector, ID, now_ + 100, now_ + 100));
            refused(both, way, abi.encodeWithSelector(IOfferFacet.OfferExpired.selector, ID, now_ + 100, now_ + 100));
            vm.warp(now_ + 99);
            paid(both, way);
            vm.revertToState(snap);
        }
    }

    function test_window_and_life_of_zero() public {
        for (uint256 way; way < 3; ++way) {
            Offer memory offer = offerOf(dealFor(way), signerKey, 0);
            refused(offer, way, abi.encodeWithSelector(IOfferFacet.OfferExpired.selector, ID, 0, block.timestamp));
            Deal memory deal = dealFor(way);
            deal.expiresAt = 0;
            refused(offerOf(deal), way, abi.encodeWithSelector(IDealFacet.DealExpired.selector, ID, 0, block.timestamp));
        }
    }

    function test_amount_of_zero() public {
        for (uint256 way; way < 3; ++way) {
            Deal memory deal = dealFor(way);
            deal.amount = 0;
            refused(offerOf(deal), way, abi.encodeWithSelector(IDealFacet.InvalidAmount.selector, 0));
        }
    }

    function test_cheaper_terms_of_the_same_id() public {
        for (uint256 way; way < 3; ++way) {
            uint256 snap = vm.snapshotState();
            Offer memory dear = offerOf(dealFor(way));
            Deal memory deal = dealFor(way);
            deal.amount = 1;
            Offer memory cheap = offerOf(deal);
            // The signature of one under the terms of the other.
            refusedAsForeign(Offer(cheap.deal, dear.validUntil, dear.r, dear.vs), way);
            // Both are offers of the signer: one of them, once, and the word says which.
            paid(cheap, way);
            bytes32 held = word(deals.termsHash(deal), 2);
            assertEq(wordOf(ID), held);
            refused(dear, way, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held));
            refused(cheap, way, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held));
            // The merchant's own creation of the dearer terms cannot reopen it.
            open(dear.deal);
            assertEq(wordOf(ID), held);
            vm.revertToState(snap);
        }
    }

    /// @dev Created with one set of terms, offered with another: each offer other than the created one is void.
    function test_offer_beside_a_creation_of_other_terms() public {
        for (uint256 way; way < 3; ++way) {
            uint256 snap = vm.snapshotState();
            Deal memory created = dealFor(way);
            open(created);
            for (uint256 field; field < 4; ++field) {
                Deal memory deal = dealFor(way);
                if (field == 0) deal.amount -= 1;
                if (field == 1) deal.payee = stranger;
                if (field == 2) deal.payer = buyer;
                if (field == 3) deal.expiresAt += 1;
                bytes memory reason =
                    abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, ID, wordOf(ID), deals.termsHash(deal));
                refused(offerOf(deal), way, reason);
            }
            paid(offerOf(created), way);
            vm.revertToState(snap);
        }
    }

    function test_paid_twice_by_created_and_offered_ways() public {
        for (uint256 i; i < 9; ++i) {
            uint256 snap = vm.snapshotState();
            uint256 way = i % 3;
            Offer memory offer = offerOf(dealFor(way));
            uint256 value = way == COINS ? offer.deal.amount : 0;
            bytes memory created = way == COINS
                ? abi.encodeCall(IDealFacet.payNative, (offer.deal))
                : way == TOKEN
                    ? abi.encodeCall(IDealFacet.payToken, (offer.deal))
                    : abi.encodeCall(IDealFacet.payTokenWithPermit, (offer.deal, 0, 0, 0, 0));
            // Never created; created before the offer is paid; created after.
            if (i / 3 == 1) open(offer.deal);
            bytes32 held = word(deals.termsHash(offer.deal), 2);
            bytes memory reason = abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held);
            if (i % 2 == 0 || i / 3 != 1) {
                paid(offer, way);
            } else {
                (bool ok,) = send(buyer, value, created);
                assertTrue(ok);
            }
            if (i / 3 == 2) open(offer.deal);
            refused(buyer, value, created, reason);
            for (uint256 again; again < 3; ++again) {
                if ((again == COINS) == (way == COINS)) refused(offer, again, reason);
            }
            vm.revertToState(snap);
        }
    }

    function test_created_deal_alone_is_not_payable_by_a_stale_offer() public {
        Offer memory offer = offerOf(tokenDeal());
        open(offer.deal);
        vm.warp(offer.validUntil);
        refused(
            offer,
            TOKEN,
            abi.encodeWithSelector(IOfferFacet.OfferExpired.selector, ID, offer.validUntil, offer.validUntil)
        );
        // It is payable the created way, as the merchant wanted.
        vm.prank(buyer);
        deals.payToken(offer.deal);
    }

    function test_tombstone_then_creation_then_offer() public {
        for (uint256 way; way < 3; ++way) {
            uint256 snap = vm.snapshotState();
            Offer memory offer = offerOf(dealFor(way));
            // Through the batcher, as the workers do.
            CancelBatch[] memory batches = oneCancel(diamond, one(ID));
            vm.prank(operator);
            batcher.cancelDeals(batches);
            bytes memory reason =
                abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, bytes32(LibDeals.CANCELLED));
            refused(offer, way, reason);
            open(offer.deal);
            refused(offer, way, reason);
            cancel(ID);
            refused(offerOf(offer.deal, signerKey, offer.validUntil + 1), way, reason);
            vm.revertToState(snap);
        }
    }

    function test_cancellation_races_payment() public {
        for (uint256 i; i < 6; ++i) {
            uint256 snap = vm.snapshotState();
            (uint256 way, bool created) = (i % 3, i > 2);
            Offer memory offer = offerOf(dealFor(way));
            if (created) open(offer.deal);
            uint256 before = vm.snapshotState();
            // The cancellation comes first in the block.
            cancel(ID);
            bytes32 held = created ? word(deals.termsHash(offer.deal), 3) : bytes32(uint256(3));
            refused(offer, way, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held));
            vm.revertToState(before);
            // The payment comes first: the cancellation changes nothing and tells nothing.
            paid(offer, way);
            held = wordOf(ID);
            vm.recordLogs();
            cancel(ID);
            assertEq(vm.getRecordedLogs().length, 0);
            assertEq(wordOf(ID), held);
            vm.revertToState(snap);
        }
    }

    /// @dev Any order of everything that may happen to one id: it is paid at most once, and final words stay.
    function testFuzz_any_order_pays_at_most_once(uint256 seed) public {
        Deal memory deal = tokenDeal();
        Deal memory dearer = tokenDeal();
        ++dearer.amount;
        uint256 payments;
        for (uint256 i; i < 24; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 step = seed % 10;
            Deal memory which = seed >> 8 & 1 == 0 ? deal : dearer;
            bytes32 held = wordOf(ID);
            // Refused while paused.
            if (step == 0) send(operator, 0, abi.encodeCall(IDealFacet.createDeals, (keysOf(which))));
            if (step == 1 && seed >> 16 & 3 == 0) cancel(ID);
            if (step == 2) skip(seed >> 16 & 255);
            if (step == 3) {
                vm.prank(root);
                registry.setRole(Roles.SIGNER, signer, seed >> 16 & 1 == 0);
            }
            if (step == 4) {
                vm.prank(root);
                registry.setPaused(seed >> 16 & 3 == 0);
            }
            uint256 balance = token.balanceOf(payee);
            if (step > 4) {
                Offer memory offer = offerOf(which, signerKey, block.timestamp + (seed >> 16 & 3));
                bytes memory call_ = step < 8
                    ? data(offer, step & 1 == 0 ? TOKEN : PERMIT)
                    : abi.encodeCall(IDealFacet.payToken, (which));
                (bool ok,) = send(buyer, 0, call_);
                if (ok) ++payments;
                assertEq(token.balanceOf(payee), balance + (ok ? which.amount : 0));
                if (ok) assertEq(wordOf(ID), word(deals.termsHash(which), 2));
                else assertEq(wordOf(ID), held);
            }
            if (uint8(uint256(held)) > 1) assertEq(wordOf(ID), held);
        }
        assertLe(payments, 1);
        assertEq(uint8(uint256(wordOf(ID))) == 2, payments == 1);
    }

    function test_signer_revoked_and_registry_paused_while_the_payment_is_pending() public {
        for (uint256 way; way < 3; ++way) {
            uint256 snap = vm.snapshotState();
            Offer memory offer = offerOf(dealFor(way));
            open(offer.deal);
            vm.prank(guardian);
            registry.setRole(Roles.SIGNER, signer, false);
            refused(offer, way, notSigner(signer));
            pause();
            refused(offer, way, abi.encodeWithSelector(IDealFacet.Paused.selector));
            vm.prank(root);
            registry.setRole(Roles.SIGNER, signer, true);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.Paused.selector));
            vm.prank(root);
            registry.setPaused(false);
            // Neither a revocation nor a pause voids an offer for good: what the key signed before counts again.
            paid(offer, way);
            vm.revertToState(snap);
        }
    }

    /// @dev Everything is wrong at once, and is put right one by one: the documented order of errors.
    function test_order_of_the_errors() public {
        Offer memory offer;
        offer.deal = Deal(ID, address(token), address(0), stranger, 0, block.timestamp);
        offer.validUntil = block.timestamp;
        pause();
        refused(buyer, 7, data(offer, COINS), abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(token)));
        offer.deal.token = address(0);
        refused(buyer, 7, data(offer, COINS), abi.encodeWithSelector(IDealFacet.WrongValue.selector, 7, 0));
        refused(buyer, 0, data(offer, TOKEN), abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(0)));
        refused(buyer, 0, data(offer, PERMIT), abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(0)));
        for (uint256 way; way < 3; ++way) {
            uint256 snap = vm.snapshotState();
            offer.deal = Deal(ID, way == COINS ? address(0) : address(token), address(0), stranger, 0, 5);
            (offer.validUntil, offer.r, offer.vs) = (block.timestamp, 0, 0);
            cancel(ID);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.Paused.selector));
            vm.prank(root);
            registry.setPaused(false);
            refused(offer, way, notSigner(address(0)));
            offer = offerOf(offer.deal, signerKey, block.timestamp);
            refused(
                offer,
                way,
                abi.encodeWithSelector(IOfferFacet.OfferExpired.selector, ID, block.timestamp, block.timestamp)
            );
            offer = offerOf(offer.deal);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, bytes32(uint256(3))));
            offer.deal.dealId = ID + 1;
            offer = offerOf(offer.deal);
            vm.prank(operator);
            deals.createDeals(someKeys(ID + 1, 1));
            bytes32 terms = deals.termsHash(offer.deal);
            refused(
                offer, way, abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, ID + 1, wordOf(ID + 1), terms)
            );
            offer.deal.dealId = ID + 2;
            offer = offerOf(offer.deal);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.DealExpired.selector, ID + 2, 5, block.timestamp));
            offer.deal.expiresAt = block.timestamp + 1;
            offer = offerOf(offer.deal);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.NotPayer.selector, buyer, stranger));
            offer.deal.payer = buyer;
            offer = offerOf(offer.deal);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.InvalidPayee.selector, address(0)));
            offer.deal.payee = diamond;
            offer = offerOf(offer.deal);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.InvalidPayee.selector, diamond));
            offer.deal.payee = payee;
            offer = offerOf(offer.deal);
            refused(offer, way, abi.encodeWithSelector(IDealFacet.InvalidAmount.selector, 0));
            offer.deal.amount = 1;
            paid(offerOf(offer.deal), way);
            vm.revertToState(snap);
        }
    }

    // ------------------------------------------------------------------------------------------------------ payers

    function test_payer_restriction() public {
        ContractBuyer relay = new ContractBuyer();
        vm.deal(address(relay), 10 ether);
        token.mint(address(relay), 1e12);
        relay.allow(token, diamond);
        for (uint256 way; way < 3; ++way) {
            Deal memory deal = dealFor(way);
            deal.payer = buyer;
            Offer memory offer = offerOf(deal);
            uint256 value = way == COINS ? deal.amount : 0;
            // A relay that the payer itself calls is not the payer, nor is the payer's address behind the call (EIP-2771).
            ContractBuyer.Call[] memory calls = new ContractBuyer.Call[](1);
            calls[0] = ContractBuyer.Call(diamond, value, data(offer, way), false);
            bytes memory reason = abi.encodeWithSelector(IDealFacet.NotPayer.selector, address(relay), buyer);
            vm.expectRevert(abi.encodeWithSelector(ContractBuyer.Failed.selector, reason));
            vm.prank(buyer, buyer);
            relay.run(calls);
            calls[0].data = abi.encodePacked(data(offer, way), buyer);
            vm.expectRevert(abi.encodeWithSelector(ContractBuyer.Failed.selector, reason));
            vm.prank(buyer, buyer);
            relay.run(calls);
            // The terms without the payer are other terms.
            offer.deal.payer = address(0);
            refusedAsForeign(offer, way);
            // A payer who is the payee gets nothing for free: tokens are refused, coins go round.
            deal.payer = buyer;
            deal.payee = buyer;
            if (way != COINS) {
                refused(offerOf(deal), way, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, 0, deal.amount));
            }
        }
    }

    /// @dev One value, one deal; the lock is free again after each call; a failed one between them does no harm.
    function test_many_payments_in_one_transaction() public {
        ContractBuyer relay = new ContractBuyer();
        vm.deal(address(relay), 10 ether);
        token.mint(address(relay), 1e12);
        relay.allow(token, diamond);
        Deal memory deal = nativeDeal();
        Offer memory first = offerOf(deal);
        deal = nativeDeal();
        deal.dealId = ID + 1;
        Offer memory second = offerOf(deal);
        Deal memory tokens = tokenDeal();
        tokens.dealId = ID + 2;
        Offer memory third = offerOf(tokens);
        ContractBuyer.Call[] memory calls = new ContractBuyer.Call[](8);
        calls[0] = ContractBuyer.Call(diamond, 1 ether, data(first, COINS), true);
        calls[1] = ContractBuyer.Call(diamond, 1 ether, data(first, COINS), true);
        calls[2] = ContractBuyer.Call(diamond, 0, data(second, COINS), true);
        calls[3] = ContractBuyer.Call(diamond, 1 ether, data(second, COINS), true);
        calls[4] = ContractBuyer.Call(diamond, 1, data(third, TOKEN), true);
        calls[5] = ContractBuyer.Call(diamond, 0, data(third, TOKEN), true);
        calls[6] = ContractBuyer.Call(diamond, 0, data(third, PERMIT), true);
        calls[7] = ContractBuyer.Call(diamond, 0, abi.encodeCall(IDealFacet.payToken, (tokens)), true);
        bool[] memory oks = relay.run(calls);
        bool[8] memory expected = [true, false, false, true, false, true, false, false];
        for (uint256 i; i < oks.length; ++i) {
            assertEq(oks[i], expected[i]);
        }
        assertEq(payee.balance, 2 ether);
        assertEq(address(relay).balance, 8 ether);
        assertEq(token.balanceOf(payee), tokens.amount);
        assertEq(diamond.balance, 0);
    }

    // ------------------------------------------------------------------------------------------------------- coins

    /// @dev Coins that were forced onto the diamond pay for nothing, and do not leave with a payment.
    function test_wrong_value_and_coins_of_the_diamond() public {
        vm.deal(diamond, 5 ether);
        Offer memory offer = offerOf(nativeDeal());
        uint256[6] memory values = [uint256(0), 1, 1 ether - 1, 1 ether + 1, 2 ether, 1e30];
        for (uint256 i; i < values.length; ++i) {
            refused(
                buyer,
                values[i],
                data(offer, COINS),
                abi.encodeWithSelector(IDealFacet.WrongValue.selector, values[i], 1 ether)
            );
        }
        paid(offer, COINS);
        assertEq(diamond.balance, 5 ether);
        assertEq(payee.balance, 1 ether);
        Offer memory tokens = offerOf(tokenDeal());
        refused(buyer, 1, data(tokens, TOKEN), "");
        refused(buyer, 1, data(tokens, PERMIT), "");
    }

    /// @dev An amount beyond all coins, and one that would wrap: no value can match it.
    function test_huge_amounts() public {
        for (uint256 way; way < 3; ++way) {
            Deal memory deal = dealFor(way);
            deal.amount = type(uint256).max;
            (bool ok,) = send(buyer, way == COINS ? buyer.balance : 0, data(offerOf(deal), way));
            assertFalse(ok);
            assertEq(wordOf(ID), 0);
        }
    }

    /// @dev Where no diamond has code, a call with coins succeeds and is no payment. Root can bring the coins back once the
    ///      diamond exists.
    function test_offer_in_coins_to_an_address_without_a_diamond() public {
        bytes16 wallet = bytes16(uint128(0x44));
        address nowhere = registry.diamondAddress(NODE, wallet);
        useDiamond(nowhere);
        Offer memory offer = offerOf(nativeDeal());
        (bool ok,) = send(buyer, 1 ether, data(offer, COINS));
        assertTrue(ok);
        assertEq(nowhere.balance, 1 ether);
        assertEq(payee.balance, 0);
        registry.createDiamond(NODE, wallet);
        assertEq(wordOf(ID), 0);
        vm.prank(root);
        deals.sweep(address(0), buyer);
        assertEq(buyer.balance, 1e30);
        paid(offer, COINS);
        assertEq(payee.balance, 1 ether);
    }

    function test_hostile_receivers() public {
        address[3] memory refusing =
            [address(new RevertingReceiver()), address(new BombReceiver()), address(new ReturningReceiver())];
        for (uint256 i; i < 2; ++i) {
            Deal memory deal = nativeDeal();
            deal.payee = refusing[i];
            refused(offerOf(deal), COINS, abi.encodeWithSelector(IDealFacet.NativeTransferFailed.selector, refusing[i]));
        }
        Deal memory returning = nativeDeal();
        returning.payee = refusing[2];
        paid(offerOf(returning), COINS);
        assertFalse(ReturningReceiver(payable(refusing[2])).accepted());
        assertEq(refusing[2].balance, 1 ether);

        Deal memory greedy = nativeDeal();
        greedy.dealId = ID + 1;
        greedy.payee = address(new GreedyReceiver());
        bytes memory call_ = data(offerOf(greedy), COINS);
        vm.prank(buyer);
        (bool ok,) = diamond.call{value: 1 ether, gas: 1_000_000}(call_);
        assertFalse(ok);
        assertEq(wordOf(ID + 1), 0);

        // Other diamonds, the registry and the diamond itself take no coins.
        address[3] memory ours =
            [registry.createDiamond(NODE, bytes16(uint128(0x33))), address(registry), address(batcher)];
        for (uint256 i; i < ours.length; ++i) {
            greedy.payee = ours[i];
            refused(offerOf(greedy), COINS, abi.encodeWithSelector(IDealFacet.NativeTransferFailed.selector, ours[i]));
        }
    }

    /// @dev The buyer chooses the gas. Whatever is too little for the payee fails as a whole.
    function test_gas_of_the_caller_never_splits_a_payment() public {
        Offer memory offer = offerOf(nativeDeal());
        Offer memory tokens;
        {
            Deal memory deal = tokenDeal();
            deal.dealId = ID + 1;
            tokens = offerOf(deal);
        }
        uint256 snap = vm.snapshotState();
        for (uint256 gas_ = 20_000; gas_ < 160_000; gas_ += 1_499) {
            vm.prank(buyer);
            (bool ok,) = diamond.call{value: 1 ether, gas: gas_}(data(offer, COINS));
            assertEq(payee.balance, ok ? 1 ether : 0);
            assertEq(wordOf(ID) != 0, ok);
            vm.prank(buyer);
            (ok,) = diamond.call{gas: gas_}(data(tokens, gas_ % 2));
            assertEq(token.balanceOf(payee), ok ? tokens.deal.amount : 0);
            assertEq(wordOf(ID + 1) != 0, ok);
            assertEq(diamond.balance, 0);
            vm.revertToState(snap);
        }
    }

    /// @dev A payee with all roles tries each function from inside the payment, the created ways included.
    function test_reentering_receiver_with_all_roles() public {
        ReentrantReceiver hostile = new ReentrantReceiver();
        vm.deal(address(hostile), 1 ether);
        vm.startPrank(root);
        registry.setRole(Roles.OPERATOR, address(hostile), true);
        registry.setRole(Roles.UPGRADER, address(hostile), true);
        registry.transferRoot(address(hostile));
        vm.stopPrank();
        vm.prank(address(hostile));
        registry.acceptRoot();
        Deal memory inner = nativeDeal();
        inner.dealId = ID + 100;
        open(inner);
        Deal memory tokens = tokenDeal();
        tokens.dealId = ID + 101;
        bytes[8] memory payloads = [
            abi.encodeCall(IDealFacet.createDeals, (keysOf(tokens))),
            abi.encodeCall(IDealFacet.cancelDeals, (one(ID))),
            abi.encodeCall(IDealFacet.payNative, (inner)),
            abi.encodeCall(IDealFacet.payToken, (tokens)),
            data(offerOf(inner), COINS),
            data(offerOf(tokens), TOKEN),
            data(offerOf(tokens), PERMIT),
            abi.encodeCall(IDealFacet.sweep, (address(0), stranger))
        ];
        for (uint256 i; i < payloads.length; ++i) {
            Deal memory deal = nativeDeal();
            deal.dealId = ID + i;
            deal.payee = address(hostile);
            hostile.arm(diamond, payloads[i]);
            paid(offerOf(deal), COINS);
            assertFalse(hostile.reentered());
            assertEq(hostile.answer(), abi.encodeWithSelector(LibLock.Reentrant.selector));
        }
        assertEq(uint8(uint256(wordOf(inner.dealId))), 1);
        assertEq(address(hostile).balance, 9 ether);
    }

    // ------------------------------------------------------------------------------------------------------ tokens

    function prepare(address hostile) internal {
        TestToken(hostile).mint(buyer, 1e12);
        vm.prank(buyer);
        (bool ok,) = hostile.call(abi.encodeCall(TestToken.approve, (diamond, type(uint256).max)));
        ok;
    }

    function test_tokens_that_credit_another_amount_or_answer_nonsense() public {
        TestToken[10] memory list = [
            TestToken(new FeeToken()),
            new GenerousToken(),
            new ShrinkingToken(),
            new LyingToken(),
            new FalseToken(),
            new MovingFalseToken(),
            new ShortAnswerToken(),
            new BombToken(true),
            new MuteToken(),
            new HookToken(1)
        ];
        for (uint256 i; i < list.length; ++i) {
            prepare(address(list[i]));
            list[i].mint(payee, 1e6);
            for (uint256 way; way < 2; ++way) {
                Offer memory offer = offerOf(tokenDeal(address(list[i])));
                (bool ok, bytes memory answer) = send(buyer, 0, data(offer, way));
                assertFalse(ok);
                bytes4 expected =
                    i < 4 || i == 9 ? IDealFacet.InexactTransfer.selector : LibToken.TokenCallFailed.selector;
                assertEq(bytes4(answer), expected);
                assertEq(wordOf(ID), 0);
                assertEq(list[i].balanceOf(payee), 1e6);
                assertEq(list[i].balanceOf(buyer), 1e12);
            }
        }
    }

    function test_tokens_that_are_odd_but_honest() public {
        address[4] memory list = [
            address(new SilentToken()),
            address(new BombToken(false)),
            address(new FallbackToken()),
            address(new GreedyPermitToken())
        ];
        for (uint256 i; i < list.length; ++i) {
            prepare(list[i]);
            for (uint256 way; way < 2; ++way) {
                Deal memory deal = tokenDeal(list[i]);
                deal.dealId = ID + 2 * i + way;
                paid(offerOf(deal), way);
                assertEq(TestToken(list[i]).balanceOf(payee), (way + 1) * deal.amount);
            }
        }
    }

    function test_usdt_like_token() public {
        UsdtToken usdt = new UsdtToken();
        usdt.mint(buyer, 1e12);
        Offer memory offer = offerOf(tokenDeal(address(usdt)));
        vm.startPrank(buyer);
        usdt.approve(diamond, offer.deal.amount - 1);
        vm.stopPrank();
        (bool ok,) = send(buyer, 0, data(offer, TOKEN));
        assertFalse(ok);
        vm.startPrank(buyer);
        usdt.approve(diamond, 0);
        usdt.approve(diamond, offer.deal.amount);
        vm.stopPrank();
        // The fee is switched on, or an account is blocked, between the signature and the payment.
        usdt.setFee(1);
        refused(
            offer,
            TOKEN,
            abi.encodeWithSelector(
                IDealFacet.InexactTransfer.selector, offer.deal.amount - offer.deal.amount / 10_000, offer.deal.amount
            )
        );
        usdt.setFee(0);
        usdt.setBlocked(payee, true);
        refused(offer, TOKEN, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, address(usdt)));
        usdt.setBlocked(payee, false);
        // It has no permit, which is ignored.
        paid(offer, PERMIT);
        assertEq(usdt.balanceOf(payee), offer.deal.amount);
        assertEq(usdt.balanceOf(diamond), 0);
        assertEq(usdt.allowance(buyer, diamond), 0);
    }

    /// @dev Only the whole word 1, or nothing, is a success: no dirty boolean, none with a byte missing.
    function test_dirty_boolean_answers_of_tokens() public {
        AnswerToken hostile = new AnswerToken();
        prepare(address(hostile));
        bytes[8] memory answers = [
            abi.encode(uint256(0)),
            abi.encode(uint256(2)),
            abi.encode(uint256(257)),
            abi.encode(uint256(1) << 255 | 1),
            abi.encode(type(uint256).max),
            bytes(hex"01"),
            abi.encodePacked(uint248(1)),
            abi.encodePacked(bytes32(0), uint256(1))
        ];
        for (uint256 i; i < answers.length; ++i) {
            hostile.arm(answers[i], false);
            for (uint256 way; way < 2; ++way) {
                refused(
                    offerOf(tokenDeal(address(hostile))),
                    way,
                    abi.encodeWithSelector(LibToken.TokenCallFailed.selector, address(hostile))
                );
            }
        }
        hostile.arm(abi.encode(uint256(1), uint256(0)), false);
        paid(offerOf(tokenDeal(address(hostile))), TOKEN);
    }

    /// @dev A token's own reason passes unchanged, so it can look like an error of the diamond; nothing is paid by it.
    function test_token_that_forges_errors_of_the_diamond() public {
        AnswerToken hostile = new AnswerToken();
        prepare(address(hostile));
        Offer memory offer = offerOf(tokenDeal(address(hostile)));
        bytes memory forged = abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, bytes32(uint256(2)));
        hostile.arm(forged, true);
        refused(offer, TOKEN, forged);
        hostile.arm(new bytes(513), true);
        refused(offer, TOKEN, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, address(hostile)));
    }

    function test_tokens_that_are_no_tokens() public {
        address[14] memory list = [
            address(1),
            address(2),
            address(3),
            address(4),
            address(5),
            address(6),
            address(9),
            diamond,
            address(registry),
            address(batcher),
            offerFacet,
            buyer,
            stranger,
            payee
        ];
        for (uint256 i; i < list.length; ++i) {
            for (uint256 way; way < 2; ++way) {
                Deal memory deal = tokenDeal(list[i]);
                bytes memory call_ = data(offerOf(deal), way);
                vm.prank(buyer);
                (bool ok,) = diamond.call{gas: 3_000_000}(call_);
                assertFalse(ok);
                assertEq(wordOf(ID), 0);
            }
        }
    }

    /// @dev From the permit, and from the view `balanceOf`, a token meets the same lock.
    function test_reentering_from_permit_and_balance() public {
        ViewToken hostile = new ViewToken();
        Deal memory inner = tokenDeal(address(hostile));
        inner.dealId = ID + 1;
        bytes[5] memory payloads = [
            data(offerOf(inner), TOKEN),
            data(offerOf(inner), PERMIT),
            abi.encodeCall(IDealFacet.payToken, (inner)),
            abi.encodeCall(IDealFacet.createDeals, (keysOf(inner))),
            abi.encodeCall(IDealFacet.cancelDeals, (one(ID)))
        ];
        for (uint256 i; i < payloads.length; ++i) {
            hostile.arm(diamond, payloads[i]);
            Deal memory deal = tokenDeal(address(hostile));
            deal.dealId = ID + 10 + i;
            paid(offerOf(deal), PERMIT);
            assertFalse(hostile.reentered());
        }
        assertEq(wordOf(ID + 1), 0);
    }

    /// @dev A hostile token pays the very deal of the created way, and the other way round, in the middle of a payment.
    function test_reentering_token_that_is_the_buyer_too() public {
        ReentrantToken hostile = new ReentrantToken();
        hostile.mint(address(hostile), 1e12);
        hostile.approveFromHere(diamond);
        prepare(address(hostile));
        Deal memory deal = tokenDeal(address(hostile));
        Offer memory offer = offerOf(deal);
        open(deal);
        hostile.arm(diamond, abi.encodeCall(IDealFacet.payToken, (deal)));
        paid(offer, TOKEN);
        assertFalse(hostile.reentered());
        deal.dealId = ID + 1;
        offer = offerOf(deal);
        open(deal);
        hostile.arm(diamond, data(offer, TOKEN));
        vm.prank(buyer);
        deals.payToken(deal);
        assertFalse(hostile.reentered());
        assertEq(hostile.balanceOf(payee), 2 * deal.amount);
    }

    /// @dev The word says paid before the money moves, and reads are not locked. Whoever is shown that in between loses it
    ///      again when the payment fails, as it is the same transaction.
    function test_read_in_the_middle_of_a_payment() public {
        ReentrantToken hostile = new ReentrantToken();
        Shop shop = new Shop();
        prepare(address(hostile));
        hostile.mint(stranger, 1);
        Deal memory deal = tokenDeal(address(hostile));
        hostile.arm(address(shop), abi.encodeCall(Shop.release, (diamond, ID)));
        // The attacker has one unit, which is too little.
        vm.startPrank(stranger);
        hostile.approve(diamond, type(uint256).max);
        vm.stopPrank();
        (bool ok,) = send(stranger, 0, data(offerOf(deal), TOKEN));
        assertFalse(ok);
        assertEq(shop.released(), 0);
        paid(offerOf(deal), TOKEN);
        assertEq(shop.released(), 1);
    }

    /// @dev The lock is a diamond's own. A buyer who is called by an honest token pays a second diamond of the same payee
    ///      inside: one credit cannot count for both.
    function test_one_credit_cannot_count_in_two_diamonds() public {
        HookToken hook = new HookToken(0);
        ContractBuyer thief = new ContractBuyer();
        address home = diamond;
        address near = registry.createDiamond(NODE, bytes16(uint128(0x33)));
        hook.mint(address(thief), 1e12);
        thief.allow(hook, home);
        thief.allow(hook, near);
        Offer memory outer = offerOf(tokenDeal(address(hook)));
        useDiamond(near);
        Offer memory inner = offerOf(tokenDeal(address(hook)));
        thief.arm(ContractBuyer.Call(near, 0, data(inner, TOKEN), false));
        useDiamond(home);
        ContractBuyer.Call[] memory calls = new ContractBuyer.Call[](1);
        calls[0] = ContractBuyer.Call(home, 0, data(outer, TOKEN), true);
        assertFalse(thief.run(calls)[0]);
        assertEq(hook.balanceOf(payee), 0);
        assertEq(wordOf(home, ID), 0);
        assertEq(wordOf(near, ID), 0);
    }

    /// @dev A limit of `LibPay.pullToken`, in payToken as well: with a token that both calls its sender and keeps a fee, a
    ///      payment on a second diamond of the same payee fills up the fee of the first. Both words say paid, and the payee
    ///      has less than the sum, by at most the fee. Such a token must not be listed; alone it pays nothing here.
    function test_fee_token_with_hooks_counts_a_credit_in_two_diamonds() public {
        HookToken hook = new HookToken(1);
        ContractBuyer thief = new ContractBuyer();
        address home = diamond;
        address near = registry.createDiamond(NODE, bytes16(uint128(0x33)));
        hook.mint(address(thief), 1e12);
        thief.allow(hook, home);
        thief.allow(hook, near);
        // 1 % of 100 is 1; of 1 it is rounded to none.
        Deal memory deal = tokenDeal(address(hook));
        deal.amount = 100;
        Offer memory outer = offerOf(deal);
        useDiamond(near);
        deal = tokenDeal(address(hook));
        deal.amount = 1;
        Offer memory inner = offerOf(deal);
        thief.arm(ContractBuyer.Call(near, 0, data(inner, TOKEN), false));
        useDiamond(home);
        ContractBuyer.Call[] memory calls = new ContractBuyer.Call[](1);
        calls[0] = ContractBuyer.Call(home, 0, data(outer, TOKEN), true);
        assertTrue(thief.run(calls)[0]);
        assertEq(uint8(uint256(wordOf(home, ID))), 2);
        assertEq(uint8(uint256(wordOf(near, ID))), 2);
        assertEq(hook.balanceOf(payee), 100);
    }

    // ------------------------------------------------------------------------------------------------------ permits

    function permitted(Offer memory offer, Permit memory permit) internal pure returns (bytes memory) {
        return abi.encodeCall(
            IOfferFacet.payOfferedTokenWithPermit,
            (offer.deal, offer.validUntil, offer.r, offer.vs, permit.deadline, permit.v, permit.r, permit.s)
        );
    }

    function test_permit_front_running() public {
        vm.prank(buyer);
        token.approve(diamond, 0);
        Deal memory deal = tokenDeal();
        Offer memory offer = offerOf(deal);
        Permit memory permit = permitOf(deal.amount);
        // A stranger takes offer and permit out of the mempool: it pays with its own tokens, of which it has none.
        token.mint(stranger, deal.amount - 1);
        refused(
            stranger,
            0,
            permitted(offer, permit),
            abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, 0, deal.amount)
        );
        vm.prank(stranger);
        token.approve(diamond, type(uint256).max);
        refused(
            stranger,
            0,
            permitted(offer, permit),
            abi.encodeWithSelector(TestToken.ERC20InsufficientBalance.selector, stranger, deal.amount - 1, deal.amount)
        );
        assertEq(token.nonces(buyer), 0);
        // Used up first: the allowance is there, and only the buyer's own payment can spend it.
        vm.prank(stranger);
        token.permit(buyer, diamond, deal.amount, permit.deadline, permit.v, permit.r, permit.s);
        refused(
            stranger,
            0,
            data(offer, TOKEN),
            abi.encodeWithSelector(TestToken.ERC20InsufficientBalance.selector, stranger, deal.amount - 1, deal.amount)
        );
        (bool ok,) = send(buyer, 0, permitted(offer, permit));
        assertTrue(ok);
        assertEq(token.balanceOf(payee), deal.amount);
        assertEq(token.allowance(buyer, diamond), 0);
    }

    /// @dev Somebody pays the same offer first: the buyer's call reverts, and with it the permit.
    function test_front_run_payment_costs_the_buyer_nothing() public {
        vm.prank(buyer);
        token.approve(diamond, 0);
        Deal memory deal = tokenDeal();
        Offer memory offer = offerOf(deal);
        Permit memory permit = permitOf(deal.amount);
        token.mint(stranger, deal.amount);
        vm.prank(stranger);
        token.approve(diamond, deal.amount);
        (bool ok,) = send(stranger, 0, data(offer, TOKEN));
        assertTrue(ok);
        bytes memory reason = abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, wordOf(ID));
        refused(buyer, 0, permitted(offer, permit), reason);
        assertEq(token.nonces(buyer), 0);
        assertEq(token.allowance(buyer, diamond), 0);
    }

    // ----------------------------------------------------------------------------------------------------- calldata

    function test_calls_of_every_shorter_length() public {
        for (uint256 way; way < 3; ++way) {
            Offer memory offer = offerOf(dealFor(way));
            bytes memory whole = data(offer, way);
            uint256 value = way == COINS ? offer.deal.amount : 0;
            for (uint256 length = whole.length; length-- > 1;) {
                assembly {
                    mstore(whole, length)
                }
                (bool ok,) = send(buyer, value, whole);
                assertFalse(ok);
            }
            assertEq(wordOf(ID), 0);
            assertEq(diamond.balance, 0);
        }
    }

    /// @dev Bytes behind the arguments mean nothing: the same terms, the same payer, the same word.
    function test_calls_that_are_too_long() public {
        for (uint256 way; way < 3; ++way) {
            bytes[4] memory tails =
                [bytes(hex"00"), abi.encodePacked(stranger), new bytes(4096), data(offerOf(dealFor(way)), way)];
            for (uint256 i; i < tails.length; ++i) {
                Deal memory deal = dealFor(way);
                deal.dealId = ID + 10 * way + i;
                deal.payer = buyer;
                Offer memory offer = offerOf(deal);
                (bool ok,) = send(buyer, way == COINS ? deal.amount : 0, bytes.concat(data(offer, way), tails[i]));
                assertTrue(ok);
                assertEq(wordOf(deal.dealId), word(deals.termsHash(deal), 2));
            }
            Deal memory others = dealFor(way);
            others.dealId = ID + 1000;
            others.payer = stranger;
            refused(
                buyer,
                way == COINS ? others.amount : 0,
                bytes.concat(data(offerOf(others), way), abi.encodePacked(stranger)),
                abi.encodeWithSelector(IDealFacet.NotPayer.selector, buyer, stranger)
            );
        }
    }

    /// @dev Every bit above an address or the byte `v` is set once: no such call is decoded, nor are dirty terms payable
    ///      that a signer signed as they are.
    function test_dirty_bits_of_the_arguments() public {
        for (uint256 way; way < 3; ++way) {
            Deal memory deal = dealFor(way);
            deal.payer = buyer;
            Offer memory offer = offerOf(deal);
            uint256 value = way == COINS ? deal.amount : 0;
            for (uint256 field = 1; field < 4; ++field) {
                for (uint256 bit = 160; bit < 256; ++bit) {
                    refused(buyer, value, flip(data(offer, way), field, bit), "");
                }
                Offer memory dirty = dirtyOffer(deal, field, offer.validUntil);
                refused(buyer, value, flip(data(dirty, way), field, 200), "");
                // The signature over the dirty words fits no clean terms.
                refusedAsForeign(dirty, way);
            }
            if (way != PERMIT) continue;
            for (uint256 bit = 8; bit < 256; ++bit) {
                refused(buyer, 0, flip(data(offer, way), 10, bit), "");
            }
        }
        // The booleans of the registry.
        vm.startPrank(root);
        (bool ok,) = address(registry)
            .call(abi.encodeWithSelector(Registry.setRole.selector, Roles.SIGNER, stranger, uint256(2)));
        assertFalse(ok);
        (ok,) = address(registry).call(abi.encodeWithSelector(Registry.setPaused.selector, uint256(1) << 255 | 1));
        assertFalse(ok);
        (ok,) = address(registry)
            .call(
                abi.encodeWithSelector(
                    Registry.setRole.selector, Roles.SIGNER, uint256(uint160(stranger)) | 1 << 160, true
                )
            );
        assertFalse(ok);
        vm.stopPrank();
    }

    function flip(bytes memory call_, uint256 argument, uint256 bit) internal pure returns (bytes memory) {
        assembly {
            let at := add(add(call_, 0x24), mul(argument, 0x20))
            mstore(at, xor(mload(at), shl(bit, 1)))
        }
        return call_;
    }

    /// @dev Signed over the words as they stand in the call, bit 200 of one address included.
    function dirtyOffer(Deal memory deal, uint256 field, uint256 until) internal view returns (Offer memory) {
        bytes memory words = abi.encode(deal);
        assembly {
            let at := add(add(words, 0x20), mul(field, 0x20))
            mstore(at, xor(mload(at), shl(200, 1)))
        }
        bytes32 dealHash = keccak256(bytes.concat(LibDeals.DEAL_TYPEHASH, words));
        bytes32 message = keccak256(abi.encode(LibOffers.OFFER_TYPEHASH, dealHash, until));
        bytes32 domain = keccak256(
            abi.encode(LibDeals.DOMAIN_TYPEHASH, LibDeals.NAME_HASH, LibDeals.VERSION_HASH, block.chainid, diamond)
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(signerKey, keccak256(bytes.concat(hex"1901", domain, message)));
        return Offer(deal, until, r, compact(v, s));
    }

    /// @dev Bits of the amounts and times have no room to be dirty: any flipped bit of any word voids the signature.
    function testFuzz_any_flipped_bit_of_the_terms(uint256 argument, uint256 bit, uint256 way) public {
        way %= 3;
        Offer memory offer = offerOf(dealFor(way));
        bytes memory call_ = flip(data(offer, way), bound(argument, 0, 8), bit % 256);
        (bool ok,) = send(buyer, way == COINS ? offer.deal.amount : 0, call_);
        assertFalse(ok);
        assertEq(wordOf(ID), 0);
    }

    /// @dev A payment writes the word of its id, and no other slot of the diamond.
    function test_payment_writes_one_slot() public {
        for (uint256 way; way < 3; ++way) {
            Deal memory deal = dealFor(way);
            deal.dealId = ID + way;
            Offer memory offer = offerOf(deal);
            vm.record();
            (bool ok,) = send(buyer, way == COINS ? deal.amount : 0, data(offer, way));
            assertTrue(ok);
            (, bytes32[] memory writes) = vm.accesses(diamond);
            assertEq(writes.length, 1);
            assertEq(writes[0], keccak256(abi.encode(deal.dealId, LibDeals.SLOT)));
            (, writes) = vm.accesses(address(registry));
            assertEq(writes.length, 0);
        }
    }

    /// @dev An operator who is not a signer, and a signer who is not an operator, cannot do each other's work.
    function test_keys_of_one_role_do_not_do_the_other() public {
        Deal memory deal = tokenDeal();
        DealKey[] memory keys = keysOf(deal);
        vm.startPrank(signer);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotOperator.selector, signer));
        deals.createDeals(keys);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotOperator.selector, signer));
        deals.cancelDeals(one(ID));
        vm.stopPrank();
        (address worker, uint256 workerKey) = makeAddrAndKey("worker");
        vm.prank(root);
        registry.setRole(Roles.OPERATOR, worker, true);
        refused(offerOf(deal, workerKey, block.timestamp + 1 hours), TOKEN, notSigner(worker));
    }
}
