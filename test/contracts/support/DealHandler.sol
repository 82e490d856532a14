// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {Batcher} from "../../../contracts/Batcher.sol";
import {Registry} from "../../../contracts/Registry.sol";
import {CancelBatch, Deal, DealKey, DiamondBatch} from "../../../contracts/interfaces/DealTypes.sol";
import {IBatcher} from "../../../contracts/interfaces/IBatcher.sol";
import {IOfferFacet} from "../../../contracts/interfaces/IOfferFacet.sol";
import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {IDiamondLoupe} from "../../../contracts/interfaces/IDiamondLoupe.sol";
import {LibOffers} from "../../../contracts/libraries/LibOffers.sol";
import {LibDeals} from "../../../contracts/libraries/LibDeals.sol";
import {Roles} from "../../../contracts/libraries/Roles.sol";
import {TestToken} from "../../../contracts/mocks/TestToken.sol";

/// @notice Does to the deals of one diamond what operators, buyers, strangers and root may try, in any order, and checks
///         after every step that nothing moved but what that step was allowed to move.
/// @dev Roles come and go meanwhile, and functions of the diamond too; whether a step works is foretold by both.
contract DealHandler is Test {
    uint256 internal constant IDS = 24;

    error BalanceMoved(address who, uint256 expected, uint256 actual);
    error IllegalEdge(bytes32 from, bytes32 to);

    Registry internal immutable registry;
    Batcher internal immutable batcher;
    address internal immutable diamond;
    TestToken internal immutable token;
    address internal immutable operator;
    address internal immutable guardian;
    uint256 internal immutable start = block.timestamp;
    address internal immutable sink = makeAddr("sink");

    address[] public buyers;
    address[] public payees;
    address[2] internal signers;
    uint256[2] internal signerKeys;

    mapping(uint256 dealId => bytes32) public firstTerms;
    mapping(uint256 dealId => uint256) public firstVariant;
    mapping(uint256 dealId => uint256) public payments;
    mapping(address payee => mapping(address token => uint256)) public owed;
    mapping(bytes32 step => uint256) public done;

    uint256 internal donatedTokens;
    uint256 internal donatedCoins;
    /// @dev Of what there was at the end of the last step.
    bytes32 internal seen;
    /// @dev True while an offer is paid, the only step that pays a deal without a word.
    bool internal offering;

    /// @dev What the diamond, the buyers and the payees had before the step; the caller may lose `paid` of `currency`.
    struct Book {
        uint256 diamondTokens;
        uint256 diamondCoins;
        uint256[] tokens;
        uint256[] coins;
        bytes32[] words;
    }

    constructor(
        Registry registry_,
        Batcher batcher_,
        address diamond_,
        TestToken token_,
        address operator_,
        address guardian_,
        address[2] memory signers_,
        uint256[2] memory signerKeys_
    ) {
        (signers, signerKeys) = (signers_, signerKeys_);
        registry = registry_;
        batcher = batcher_;
        diamond = diamond_;
        token = token_;
        operator = operator_;
        guardian = guardian_;
        for (uint256 i; i < 3; ++i) {
            address buyer = makeAddr(string.concat("buyer ", vm.toString(i)));
            buyers.push(buyer);
            token_.mint(buyer, 1e24);
            vm.deal(buyer, 1e24);
            vm.prank(buyer);
            token_.approve(diamond_, type(uint256).max);
            payees.push(makeAddr(string.concat("payee ", vm.toString(i))));
        }
    }

    function create(uint256 seed, uint256 variant, bool batched) external {
        Deal memory deal = dealOf(seed, variant);
        bytes32 terms = termsOf(deal);
        Book memory book = open();
        DealKey[] memory keys = new DealKey[](1);
        keys[0] = DealKey(deal.dealId, terms);
        bytes32 held = wordOf(deal.dealId);
        bool works = served(IDealFacet.createDeals.selector) && !registry.paused();
        DiamondBatch[] memory list = new DiamondBatch[](1);
        list[0] = DiamondBatch(diamond, 210_000, keys);
        if (batched) works = viaBatcher(abi.encodeCall(IBatcher.createDeals, (list)), works);
        else works = direct(abi.encodeCall(IDealFacet.createDeals, (keys)), works);
        if (works && held == 0) {
            assertEq(wordOf(deal.dealId), openWord(terms));
            firstTerms[deal.dealId] = terms;
            firstVariant[deal.dealId] = variant;
            ++done["create"];
        } else {
            assertEq(wordOf(deal.dealId), held);
        }
        close(book, address(0), address(0), address(0), 0);
    }

    function cancel(uint256 seed, bool batched) external {
        uint256[] memory ids = new uint256[](1);
        ids[0] = 1 + seed % IDS;
        Book memory book = open();
        bytes32 held = wordOf(ids[0]);
        bool works = served(IDealFacet.cancelDeals.selector);
        CancelBatch[] memory list = new CancelBatch[](1);
        list[0] = CancelBatch(diamond, 210_000, ids);
        if (batched) works = viaBatcher(abi.encodeCall(IBatcher.cancelDeals, (list)), works);
        else works = direct(abi.encodeCall(IDealFacet.cancelDeals, (ids)), works);
        bool open_ = works && uint8(uint256(held)) < 2;
        assertEq(wordOf(ids[0]), open_ ? bytes32((uint256(held) & ~uint256(0xff)) | 3) : held);
        if (open_) ++done["cancel"];
        close(book, address(0), address(0), address(0), 0);
    }

    function pay(uint256 seed, uint256 variant, uint256 who, uint256 way) external {
        // Mostly an open deal, the terms that it really has and a way that fits them, so that payments do happen.
        if (variant % 4 != 0) {
            for (uint256 i; i < IDS && uint8(uint256(wordOf(1 + seed % IDS))) != 1; ++i) {
                seed = (seed % IDS) + 1;
            }
            variant = firstVariant[1 + seed % IDS];
        }
        Deal memory deal = dealOf(seed, variant);
        if (way % 4 != 0) way = deal.token == address(0) ? 1 : way % 2 * 2;
        address buyer = buyers[who % buyers.length];
        bytes32 held = wordOf(deal.dealId);
        bool native = way % 3 == 1;
        bool expected = !registry.paused() && held == openWord(termsOf(deal)) && block.timestamp < deal.expiresAt
            && (deal.payer == address(0) || deal.payer == buyer) && native == (deal.token == address(0));
        bytes memory call_ = payCall(deal, way % 3);
        expected = expected && served(bytes4(call_));
        Book memory book = open();
        vm.prank(buyer);
        (bool ok,) = diamond.call{value: native ? deal.amount : 0}(call_);
        assertEq(ok, expected);
        if (ok) {
            assertEq(uint8(uint256(wordOf(deal.dealId))), 2);
            ++payments[deal.dealId];
            owed[deal.payee][deal.token] += deal.amount;
            ++done["pay"];
            close(book, buyer, deal.payee, deal.token, deal.amount);
        } else {
            assertEq(wordOf(deal.dealId), held);
            close(book, address(0), address(0), address(0), 0);
        }
    }

    /// @dev One payment by an offer, and whether it should work.
    struct Attempt {
        Deal deal;
        address buyer;
        bytes32 held;
        bytes32 terms;
        uint256 value;
        bytes data;
        bool expected;
    }

    /// @dev By an offer of one of two signers, who hold the role or not; now and then over, or signed for other terms.
    function payOffered(uint256 seed, uint256 variant, uint256 who, uint256 way, uint256 from) external {
        Attempt memory one = attemptOf(dealOf(seed, variant), who, way, from);
        Book memory book = open();
        vm.prank(one.buyer);
        (bool ok,) = diamond.call{value: one.value}(one.data);
        assertEq(ok, one.expected);
        uint256 dealId = one.deal.dealId;
        assertEq(wordOf(dealId), ok ? bytes32((uint256(one.terms) & ~uint256(0xff)) | 2) : one.held);
        if (!ok) return close(book, address(0), address(0), address(0), 0);
        if (one.held == 0) (firstTerms[dealId], firstVariant[dealId]) = (one.terms, variant);
        ++payments[dealId];
        owed[one.deal.payee][one.deal.token] += one.deal.amount;
        ++done[one.held == 0 ? bytes32("offer") : bytes32("offer of a created deal")];
        offering = true;
        close(book, one.buyer, one.deal.payee, one.deal.token, one.deal.amount);
        offering = false;
    }

    function attemptOf(Deal memory deal, uint256 who, uint256 way, uint256 from)
        internal
        view
        returns (Attempt memory one)
    {
        (one.deal, one.buyer, one.held, one.terms) = (deal, buyers[who % 3], wordOf(deal.dealId), termsOf(deal));
        if (deal.payer != address(0) && who % 8 != 7) one.buyer = deal.payer;
        if (way % 8 != 7) way = deal.token == address(0) ? 1 : way % 2 * 2;
        bool native = way % 3 == 1;
        if (native) one.value = deal.amount;
        uint256 validUntil = block.timestamp + (from % 16 == 15 ? 0 : 15 minutes);
        bool foreign = from % 32 == 30;
        Deal memory signed = abi.decode(abi.encode(deal), (Deal));
        if (foreign) ++signed.amount;
        (bytes32 r, bytes32 vs) = sign(signed, validUntil, signerKeys[from % 2]);
        one.data = offerCall(deal, validUntil, r, vs, way % 3);
        one.expected = (one.held == 0 || one.held == openWord(one.terms)) && !foreign && block.timestamp < validUntil
            && block.timestamp < deal.expiresAt && !registry.paused()
            && (deal.payer == address(0) || deal.payer == one.buyer) && native == (deal.token == address(0))
            && hasRole(Roles.SIGNER, signers[from % 2]) && served(bytes4(one.data));
    }

    /// @dev What strangers sent is freed, to where nobody else has anything; no deal and no fund of anybody moves.
    function sweep(bool coins) external {
        address token_ = coins ? address(0) : address(token);
        Book memory book = open();
        uint256 there = coins ? book.diamondCoins : book.diamondTokens;
        vm.prank(registry.root());
        (bool ok,) = diamond.call(abi.encodeCall(IDealFacet.sweep, (token_, sink)));
        assertEq(ok, served(IDealFacet.sweep.selector));
        if (ok) {
            if (coins) (book.diamondCoins, donatedCoins) = (0, 0);
            else (book.diamondTokens, donatedTokens) = (0, 0);
            if (there != 0) ++done["sweep"];
        }
        close(book, address(0), address(0), address(0), 0);
    }

    /// @dev Nobody but operators creates or cancels, nobody but root sweeps, whoever asks.
    function intrude(uint256 seed, uint256 who) external {
        address intruder = who % 5 == 3 ? guardian : who % 5 == 4 ? payees[0] : buyers[who % 5 % 3];
        if (isOperator(intruder)) return;
        Book memory book = open();
        DealKey[] memory keys = new DealKey[](1);
        keys[0] = DealKey(1 + seed % IDS, keccak256("intruder"));
        uint256[] memory ids = new uint256[](1);
        ids[0] = 1 + seed % IDS;
        bytes[4] memory calls = [
            abi.encodeCall(IDealFacet.createDeals, (keys)),
            abi.encodeCall(IDealFacet.cancelDeals, (ids)),
            abi.encodeCall(IDealFacet.sweep, (address(token), intruder)),
            abi.encodeCall(IDealFacet.sweep, (address(0), intruder))
        ];
        for (uint256 i; i < calls.length; ++i) {
            vm.prank(intruder);
            (bool ok,) = diamond.call(calls[i]);
            assertFalse(ok);
        }
        close(book, address(0), address(0), address(0), 0);
    }

    function donate(uint256 amount) external {
        amount = bound(amount, 1, 1e9);
        token.mint(diamond, amount);
        vm.deal(diamond, diamond.balance + amount);
        donatedTokens += amount;
        donatedCoins += amount;
        seen = keccak256(abi.encode(look()));
    }

    /// @dev Mostly short, sometimes long enough for an approval to become effective.
    function wait(uint256 time) external {
        skip(time % 8 == 0 ? bound(time, 1, 1 days) : bound(time, 1, 20 minutes));
    }

    /// @dev Ids, terms and times from small sets, so that the same deal is met again and conflicts happen.
    function dealOf(uint256 seed, uint256 variant) internal view returns (Deal memory) {
        uint256 dealId = 1 + seed % IDS;
        variant %= 4;
        return Deal({
            dealId: dealId,
            token: variant % 2 == 0 ? address(token) : address(0),
            payee: payees[(dealId + variant) % payees.length],
            payer: variant == 3 ? buyers[dealId % buyers.length] : address(0),
            amount: 1000 * dealId + variant,
            expiresAt: start + dealId * 6 hours
        });
    }

    function payCall(Deal memory deal, uint256 way) internal pure returns (bytes memory) {
        if (way == 0) return abi.encodeCall(IDealFacet.payToken, (deal));
        if (way == 1) return abi.encodeCall(IDealFacet.payNative, (deal));
        return abi.encodeCall(IDealFacet.payTokenWithPermit, (deal, 0, 0, 0, 0));
    }

    function offerCall(Deal memory deal, uint256 validUntil, bytes32 r, bytes32 vs, uint256 way)
        internal
        pure
        returns (bytes memory)
    {
        if (way == 0) return abi.encodeCall(IOfferFacet.payOfferedToken, (deal, validUntil, r, vs));
        if (way == 1) return abi.encodeCall(IOfferFacet.payOfferedNative, (deal, validUntil, r, vs));
        return abi.encodeCall(IOfferFacet.payOfferedTokenWithPermit, (deal, validUntil, r, vs, 0, 0, 0, 0));
    }

    function sign(Deal memory deal, uint256 validUntil, uint256 key) internal view returns (bytes32 r, bytes32 vs) {
        bytes32 dealHash = keccak256(abi.encode(LibDeals.DEAL_TYPEHASH, deal));
        bytes32 message = keccak256(abi.encode(LibOffers.OFFER_TYPEHASH, dealHash, validUntil));
        (uint8 v, bytes32 r_, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain(), message)));
        return (r_, bytes32(uint256(s) | uint256(v - 27) << 255));
    }

    /// @dev Reverts as a whole where it does not work.
    function direct(bytes memory call_, bool works) internal returns (bool ok) {
        vm.prank(operator);
        (ok,) = diamond.call(call_);
        assertEq(ok, works && isOperator(operator));
    }

    /// @dev Reverts where the caller is no operator, and tells of the part where that does not work.
    function viaBatcher(bytes memory call_, bool works) internal returns (bool) {
        vm.prank(operator);
        (bool ok, bytes memory answer) = address(batcher).call(call_);
        assertEq(ok, isOperator(operator));
        if (!ok) return false;
        works = works && isOperator(address(batcher));
        assertEq(abi.decode(answer, (bytes[]))[0].length == 0, works);
        return works;
    }

    function isOperator(address account) internal view returns (bool) {
        return hasRole(Roles.OPERATOR, account);
    }

    function hasRole(bytes32 role, address account) internal view returns (bool has) {
        (has,) = registry.roleState(role, account);
    }

    function served(bytes4 selector) internal view returns (bool) {
        return IDiamondLoupe(diamond).facetAddress(selector) != address(0);
    }

    /// @dev Reckoned here, because the diamond's own function may have been removed.
    function termsOf(Deal memory deal) internal view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domain(), keccak256(abi.encode(LibDeals.DEAL_TYPEHASH, deal))));
    }

    function domain() internal view returns (bytes32) {
        return keccak256(
            abi.encode(LibDeals.DOMAIN_TYPEHASH, LibDeals.NAME_HASH, LibDeals.VERSION_HASH, block.chainid, diamond)
        );
    }

    /// @dev The word itself, whatever the diamond would say of it.
    function wordOf(uint256 dealId) public view returns (bytes32) {
        return vm.load(diamond, keccak256(abi.encode(dealId, LibDeals.SLOT)));
    }

    function openWord(bytes32 terms) internal pure returns (bytes32) {
        return bytes32((uint256(terms) & ~uint256(0xff)) | 1);
    }

    /// @dev Between two steps of this handler nothing moved either: no role, approval or cut touches a deal or money.
    function open() internal view returns (Book memory book) {
        book = look();
        if (seen != 0) assertEq(keccak256(abi.encode(book)), seen, "moved by something else");
    }

    function look() internal view returns (Book memory book) {
        book.diamondTokens = token.balanceOf(diamond);
        book.diamondCoins = diamond.balance;
        (book.tokens, book.coins) = balances();
        book.words = allWords();
    }

    /// @dev `payer` may have lost and `payee` must have got exactly `amount` of `currency`; nobody else moved.
    function close(Book memory book, address payer, address payee, address currency, uint256 amount) internal {
        Book memory last = look();
        requireEqual(diamond, book.diamondTokens, last.diamondTokens);
        requireEqual(diamond, book.diamondCoins, last.diamondCoins);
        for (uint256 i; i < last.tokens.length; ++i) {
            address who = i < buyers.length ? buyers[i] : payees[i - buyers.length];
            if (who == payer) (currency == address(0) ? book.coins : book.tokens)[i] -= amount;
            if (who == payee) (currency == address(0) ? book.coins : book.tokens)[i] += amount;
            requireEqual(who, book.tokens[i], last.tokens[i]);
            requireEqual(who, book.coins[i], last.coins[i]);
        }
        for (uint256 i; i < last.words.length; ++i) {
            requireLegal(book.words[i], last.words[i]);
        }
        seen = keccak256(abi.encode(last));
    }

    function requireEqual(address who, uint256 expected, uint256 actual) internal pure {
        if (expected != actual) revert BalanceMoved(who, expected, actual);
    }

    /// @dev none to open or tombstone, by an offer to paid; open to paid or cancelled; nothing else, and the terms never
    ///      change.
    function requireLegal(bytes32 from, bytes32 to) internal view {
        if (from == to) return;
        uint256 status = uint256(to) & 0xff;
        bool born = from == 0 && (status == 1 || (offering && status == 2) || to == bytes32(uint256(3)));
        bool ended = uint256(from) & 0xff == 1 && (status == 2 || status == 3) && uint256(from ^ to) < 0x100;
        if (!born && !ended) revert IllegalEdge(from, to);
    }

    function balances() internal view returns (uint256[] memory tokens, uint256[] memory coins) {
        uint256 count = buyers.length + payees.length;
        tokens = new uint256[](count);
        coins = new uint256[](count);
        for (uint256 i; i < count; ++i) {
            address who = i < buyers.length ? buyers[i] : payees[i - buyers.length];
            tokens[i] = token.balanceOf(who);
            coins[i] = who.balance;
        }
    }

    function allWords() internal view returns (bytes32[] memory words) {
        words = new bytes32[](IDS);
        for (uint256 i; i < IDS; ++i) {
            words[i] = wordOf(i + 1);
        }
    }

    function donations() external view returns (uint256, uint256) {
        return (donatedTokens, donatedCoins);
    }

    function idCount() external pure returns (uint256) {
        return IDS;
    }
}
